import NyaruEngine
import NyaruSyncLog

/// `status`.
extension CommandRunner {
  func status(_ location: DatabaseLocation) async throws {
    let summary = try await withDatabase(location) { database in
      let replica = Replica(database)
      let status = try await replica.status()
      var collections: [StatusSummary.Collection] = []
      for entry in status.collections {
        let handle = try await collection(entry.name, of: database)
        let statistics = await handle.stats()
        var collection = StatusSummary.Collection(name: entry.name)
        collection.documents = statistics.documents
        collection.deletionMarkers = statistics.deletionMarkers
        collection.conflicts = try await replica.conflicts(in: entry.name).count
        collection.bytes = statistics.size
        collection.garbageBytes = statistics.garbageSize
        collection.sequence = entry.sequence
        collection.idField = handle.options.idField
        collection.partitionKey = handle.options.partitionKey
        collection.indexedFields = handle.options.indexedFields
        collections.append(collection)
      }
      return StatusSummary(
        status, collections: collections, isEncrypted: database.directory.keys != nil)
    }
    try console.result(summary.json, text: summary.text)
  }
}
