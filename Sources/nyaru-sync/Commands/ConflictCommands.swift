import NyaruEngine
import NyaruSyncLog

/// `conflicts` and `resolve`.
extension CommandRunner {
  func conflicts(_ location: DatabaseLocation, collection: String?) async throws {
    let conflicts = try await withDatabase(location) { database in
      try await Replica(database).conflicts(in: collection)
    }
    let list = ConflictList(conflicts)
    try console.result(list.json, text: list.text)
  }

  func resolve(_ location: CollectionLocation, id word: String, version: Int?) async throws {
    let replacement = version == nil ? try replacementDocument() : nil
    try await withDatabase(location.database) { database in
      let collection = try await collection(location.name, of: database)
      guard let (id, _) = try find(word, in: collection) else {
        throw CommandFailure(.differences, "there is no document \(word) in \(location.name)")
      }
      let replica = Replica(database)
      if let replacement {
        try await replica.resolve(location.name, id: id, with: replacement)
      } else if let version {
        try await replica.resolve(location.name, id: id, keeping: version)
      }
      try await collection.sync()
    }
    console.note("\(word) has one version now")
  }

  /// The one document on standard input.
  private func replacementDocument() throws -> Document {
    let source = try ByteSource(.standard)
    guard !source.isTerminal else {
      throw UsageError("give --keep N, or a document on standard input", verb: .resolve)
    }
    let reader = BatchReader(source)
    guard let batch = try reader.next(), batch.count == 1, try reader.next() == nil else {
      throw CommandFailure(.differences, "standard input holds not one document")
    }
    return batch[0].document
  }
}
