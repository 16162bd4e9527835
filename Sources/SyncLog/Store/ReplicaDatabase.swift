package import NyaruEngine

/// A database, as sync sees it: who it is, what it shares, and its collections.
package protocol ReplicaDatabase: Sendable {
  var databaseID: Identity { get }

  /// Where the database is, for reports.
  var path: String { get }

  /// All authors that wrote here; the last one writes now.
  var authors: [ReplicaID] { get }

  /// The key of the vault, or `nil` as long as there is none.
  func vaultKey() async throws -> SecretKey?

  /// Whether the vault was made here, and nobody else has its key yet.
  var isVaultNew: Bool { get }

  /// Makes the database part of a vault, durable when the call returns.
  func setVaultKey(_ key: SecretKey, isNew: Bool) async throws

  /// Remembers that others have the vault's key; durable when the call returns.
  func shareVault() async throws

  /// Takes a new author for all further writes, durable when the call returns.
  func renewAuthor() async throws

  /// The folder `sync/`.
  var syncDirectory: any Directory { get }

  /// The collections, open.
  func stores() async throws -> [any RecordStore]

  /// Creates a collection that came from a peer.
  func makeStore(name: String, idField: String) async throws -> any RecordStore
}

extension ReplicaDatabase {
  /// The author of what is written now.
  package var author: ReplicaID { authors.last ?? ReplicaID(number: 0) }
}
