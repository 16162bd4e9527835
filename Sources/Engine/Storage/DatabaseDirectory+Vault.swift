internal import Synchronization

extension DatabaseDirectory {
  /// The vault that the database belongs to, or `nil` as long as it has never synced.
  package func vault() throws(DatabaseDirectoryError) -> VaultMembership? {
    try state.withLock { (state) throws(DatabaseDirectoryError) in
      guard let stored = state.manifest.vault else { return nil }
      guard let keys = state.keys else {
        return VaultMembership(id: stored.id, key: SecretKey(stored.storedKey.span))
      }
      do throws(CryptoError) {
        var bytes = try XAES256GCM.openBox(
          stored.storedKey, key: keys.vault, associatedData: stored.id)
        defer { bytes.wipe() }
        return VaultMembership(id: stored.id, key: SecretKey(bytes.span))
      } catch {
        throw .damaged(path: path + "/" + DatabaseManifest.fileName, .checksumMismatch)
      }
    }
  }

  /// Whether the vault was made here, and its key has not left this database yet.
  ///
  /// Such a database can still join another vault without leaving anybody behind.
  package var isVaultNew: Bool { state.withLock { $0.manifest.vault?.isNew ?? false } }

  /// Remembers that others have the vault's key; durable when the call returns.
  package func shareVault() throws(DatabaseDirectoryError) {
    guard isVaultNew else { return }
    try update { (manifest, _) in manifest.vault?.isNew = false }
  }

  /// Joins a vault, or leaves it with `nil`; durable when the call returns.
  package func setVault(
    _ vault: VaultMembership?, isNew: Bool = false
  ) throws(DatabaseDirectoryError) {
    try update { (manifest, keys) throws(DatabaseDirectoryError) in
      guard let vault else {
        manifest.vault = nil
        return
      }
      var bytes = vault.key.exportBytes()
      defer { bytes.wipe() }
      do throws(CryptoError) {
        let storedKey =
          if let keys {
            try XAES256GCM.sealBox(bytes, key: keys.vault, associatedData: vault.id)
          } else {
            // Who has the directory of an unencrypted database has its vault.
            bytes + []
          }
        manifest.vault = DatabaseManifest.StoredVault(
          id: vault.id, storedKey: storedKey, isNew: isNew)
      } catch {
        throw .crypto(error)
      }
    }
  }
}
