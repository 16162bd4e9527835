internal import NyaruEngine
internal import NyaruSyncLog

/// Puts a page together from the feed, commit by commit.
///
/// Limits are looked at only where a commit ends, and the first commit is taken whatever its size.
struct PageBuilder {
  private let request: PullRequest
  private let countLimit: Int
  private let sizeLimit: Int
  private var envelopes = EnvelopeList()
  private var through: UInt64
  private var chain: ChainValue

  /// Heads behind the last commit that was taken.
  private var pending = EnvelopeList()

  /// The next commit would be too much.
  private(set) var isFull = false

  init(_ request: PullRequest) {
    self.request = request
    countLimit = min(request.countLimit, ProtocolLimits.pageCount)
    sizeLimit = min(request.sizeLimit, ProtocolLimits.pageSize)
    through = request.since
    chain = request.chain
  }

  mutating func add(_ record: EndpointRecord, sequence: UInt64) {
    switch record {
    case .heads(let heads):
      for head in heads where isWanted(head, sequence: sequence) { pending.append(head) }
    case .commit(let chain):
      let count = envelopes.count + pending.count
      let size = envelopes.size + pending.size
      guard envelopes.isEmpty || (count <= countLimit && size <= sizeLimit) else {
        isFull = true
        return
      }
      envelopes.append(pending)
      pending = EnvelopeList()
      through = sequence
      self.chain = chain
    case .state, .replica: break
    }
  }

  func page(head: UInt64) -> PullPage {
    PullPage(envelopes: envelopes, through: through, chain: chain, hasMore: through < head)
  }

  private func isWanted(_ head: [UInt8], sequence: UInt64) -> Bool {
    if sequence > request.markersAfter { return true }
    // An envelope's flags stand behind its format.
    return head.count < 2 || head[1] & 1 == 0
  }
}
