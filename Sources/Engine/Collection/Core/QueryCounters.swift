internal import Synchronization

/// Counts how the queries of one collection find their documents.
///
/// A call costs a few atomic additions, however many documents it looks at.
final class QueryCounters: Sendable {
  private let gets = Atomic(0)
  private let idLookups = Atomic(0)
  private let idRanges = Atomic(0)
  private let indexScans = Atomic(0)
  private let partitionScans = Atomic(0)
  private let fullScans = Atomic(0)
  private let covered = Atomic(0)
  private let streams = Atomic(0)
  private let examined = Atomic(0)
  private let returned = Atomic(0)

  func noteGet() { gets.add(1, ordering: .relaxed) }
  func noteCovered() { covered.add(1, ordering: .relaxed) }
  func noteStream() { streams.add(1, ordering: .relaxed) }
  func noteReturned(_ count: Int) { returned.add(count, ordering: .relaxed) }

  /// A query has looked at some documents out of these candidates.
  func note(_ candidates: DocumentSnapshot.Candidates, examined count: Int) {
    examined.add(count, ordering: .relaxed)
    switch candidates {
    case .all: fullScans.add(1, ordering: .relaxed)
    case .ids(let ranges) where ranges.allSatisfy(\.isSingleKey):
      idLookups.add(1, ordering: .relaxed)
    case .ids: idRanges.add(1, ordering: .relaxed)
    case .index: indexScans.add(1, ordering: .relaxed)
    case .partitions: partitionScans.add(1, ordering: .relaxed)
    }
    NyaruLogger.log(.trace, "a query through \(candidates.name) looked at \(count) documents")
  }

  /// The counts as they are now; calls that run meanwhile may be in some of them only.
  var metrics: QueryMetrics {
    var metrics = QueryMetrics()
    metrics.gets = gets.load(ordering: .relaxed)
    metrics.idLookups = idLookups.load(ordering: .relaxed)
    metrics.idRanges = idRanges.load(ordering: .relaxed)
    metrics.indexScans = indexScans.load(ordering: .relaxed)
    metrics.partitionScans = partitionScans.load(ordering: .relaxed)
    metrics.fullScans = fullScans.load(ordering: .relaxed)
    metrics.covered = covered.load(ordering: .relaxed)
    metrics.streams = streams.load(ordering: .relaxed)
    metrics.documentsExamined = examined.load(ordering: .relaxed)
    metrics.documentsReturned = returned.load(ordering: .relaxed)
    return metrics
  }
}

extension DocumentSnapshot.Candidates {
  /// The way in words, without the names of fields and values.
  fileprivate var name: String {
    switch self {
    case .all: "a scan of all"
    case .ids(let ranges): ranges.allSatisfy(\.isSingleKey) ? "single ids" : "a range of ids"
    case .index(let number, _): "index \(number)"
    case .partitions(let keys): "\(keys.count) partitions"
    }
  }
}
