package import NyaruSyncLog

/// Where a database stands, as `status` shows it.
package struct StatusSummary: Equatable, Sendable {
  /// What `status` says of a collection beyond its sequence.
  package struct Collection: Equatable, Sendable {
    package var name: String
    package var documents = 0
    package var deletionMarkers = 0
    package var conflicts = 0
    package var bytes: UInt64 = 0

    /// Bytes that `compact` would give back.
    package var garbageBytes: UInt64 = 0
    package var sequence: UInt64 = 0
    package var idField = "id"
    package var partitionKey: String?
    package var indexedFields: [String] = []

    package init(name: String) { self.name = name }
  }

  package var status: ReplicaStatus
  package var collections: [Collection]
  package var isEncrypted: Bool

  package init(_ status: ReplicaStatus, collections: [Collection], isEncrypted: Bool) {
    self.status = status
    self.collections = collections
    self.isEncrypted = isEncrypted
  }

  package var json: JSONOutput {
    .object([
      ("vault", status.vault.map(JSONOutput.string) ?? .null),
      ("databaseID", .string(status.databaseID)), ("replicaID", .string(status.replica)),
      ("encrypted", .bool(isEncrypted)), ("collections", .array(collections.map(Self.json(of:)))),
      ("peers", .array(status.peers.map(Self.json(of:)))),
    ])
  }

  private static func json(of collection: Collection) -> JSONOutput {
    .object([
      ("name", .string(collection.name)), ("documents", .integer(collection.documents)),
      ("deletionMarkers", .integer(collection.deletionMarkers)),
      ("conflicts", .integer(collection.conflicts)), ("bytes", .unsigned(collection.bytes)),
      ("garbageBytes", .unsigned(collection.garbageBytes)),
      ("sequence", .unsigned(collection.sequence)), ("idField", .string(collection.idField)),
      ("partitionKey", collection.partitionKey.map(JSONOutput.string) ?? .null),
      ("indexes", .array(collection.indexedFields.map(JSONOutput.string))),
    ])
  }

  private static func json(of peer: ReplicaStatus.Peer) -> JSONOutput {
    .object([
      ("address", .string(peer.address)), ("identity", .string(peer.identity)),
      ("lastSync", peer.lastSync == 0 ? .null : .unsigned(peer.lastSync)),
      ("unpushed", .integer(peer.unpushed)),
    ])
  }

  package var text: String {
    var parts = [
      """
      database   \(status.databaseID)\(isEncrypted ? ", encrypted" : "")
      replica    \(status.replica)
      vault      \(status.vault ?? "none yet")
      """
    ]
    if !collections.isEmpty {
      var table = TextTable(
        ["collection", "documents", "conflicts", "sequence", "size", "garbage"],
        rightAligned: [1, 2, 3, 4, 5])
      for collection in collections {
        table.append([
          collection.name, "\(collection.documents)", "\(collection.conflicts)",
          "\(collection.sequence)", ProgressLine.size(Int(clamping: collection.bytes)),
          ProgressLine.size(Int(clamping: collection.garbageBytes)),
        ])
      }
      parts.append(table.text)
    }
    if !status.peers.isEmpty {
      var table = TextTable(["peer", "not pushed yet"], rightAligned: [1])
      for peer in status.peers { table.append([peer.address, "\(peer.unpushed)"]) }
      parts.append(table.text)
    }
    return parts.joined(separator: "\n\n")
  }
}
