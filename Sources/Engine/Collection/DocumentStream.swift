/// Documents of one point in time, in the order of their ids, read batch by batch on demand.
public struct DocumentStream<T: Codable & Sendable>: AsyncSequence, Sendable {
  /// The documents.
  public typealias Element = T

  let snapshot: DocumentSnapshot
  let batchSize: Int

  /// Begins at the first document.
  public func makeAsyncIterator() -> Iterator {
    Iterator(snapshot: snapshot, batchSize: batchSize)
  }

  /// Reads the next batch when the last one is used up.
  public struct Iterator: AsyncIteratorProtocol {
    private let snapshot: DocumentSnapshot
    private let batchSize: Int
    private var page: [DecodedDocuments<T>] = []

    /// The part of the page, and how many of its documents and failures were passed.
    private var partIndex = 0
    private var documentIndex = 0
    private var failureIndex = 0

    private var last: [UInt8]?
    private var isAtEnd = false
    private var failure: NyaruError?

    init(snapshot: DocumentSnapshot, batchSize: Int) {
      self.snapshot = snapshot
      self.batchSize = batchSize
    }

    /// The next document, or `nil` behind the last.
    ///
    /// - Throws: At the end, the first error of a record that does not read; at once, if a
    ///   document does not decode to the type, or the task was cancelled.
    public mutating func next() async throws -> T? {
      while true {
        while partIndex < page.count {
          try passFailures()
          if documentIndex < page[partIndex].documents.count {
            defer { documentIndex += 1 }
            return page[partIndex].documents[documentIndex]
          }
          partIndex += 1
          (documentIndex, failureIndex) = (0, 0)
        }
        if isAtEnd {
          defer { failure = nil }
          if let failure { throw failure }
          return nil
        }
        try Task.checkCancellation()
        (page, last) = try snapshot.page(after: last, limit: batchSize, as: T.self)
        (partIndex, documentIndex, failureIndex) = (0, 0, 0)
        isAtEnd = last == nil
      }
    }

    /// Takes notice of the failures that stand before the next document.
    private mutating func passFailures() throws {
      let failures = page[partIndex].failures
      while failureIndex < failures.count, failures[failureIndex].place <= documentIndex {
        let found = failures[failureIndex]
        failureIndex += 1
        if found.isUndecodable { throw found.error }
        failure = failure ?? found.error
      }
    }
  }
}
