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
    private var batch: [Result<DocumentBody, NyaruError>].Iterator
    private var next: [UInt8]?
    private var isAtEnd = false
    private var failure: NyaruError?

    init(snapshot: DocumentSnapshot, batchSize: Int) {
      self.snapshot = snapshot
      self.batchSize = batchSize
      batch = [].makeIterator()
    }

    /// The next document, or `nil` behind the last.
    ///
    /// - Throws: At the end, the first error of a record that does not read; at once, if a
    ///   document does not decode to the type, or the task was cancelled.
    public mutating func next() async throws -> T? {
      while true {
        while let result = batch.next() {
          switch result {
          case .success(let document): return try document.decoded(as: T.self)
          case .failure(let error): failure = failure ?? error
          }
        }
        if isAtEnd {
          defer { failure = nil }
          if let failure { throw failure }
          return nil
        }
        try Task.checkCancellation()
        let page = try snapshot.page(after: next, limit: batchSize)
        batch = page.documents.makeIterator()
        next = page.last
        isAtEnd = page.last == nil
      }
    }
  }
}
