package import NyaruEngine

/// What the replicas of a vault share, and an endpoint never sees.
///
///     vault     := HKDF-SHA256(vault key, info "nyaru/sync/1/vault"), the first 16 bytes
///     index key := HKDF-SHA256(vault key, info "nyaru/sync/1/index")
///     body key  := HKDF-SHA256(vault key, info "nyaru/sync/1/body")
///
/// The vault key is 32 random bytes. The vault's id follows from it, so that one text in one file
/// is all that a replica needs to join.
package struct VaultKeys: Sendable {
  package let vault: VaultID

  /// Computes tags.
  let indexKey: SecretKey

  /// Seals envelopes.
  let bodyKey: SecretKey

  package init(key: SecretKey) {
    vault = Self.vault(of: key)
    indexKey = HKDF.derive(key, label: "nyaru/sync/1/index")
    bodyKey = HKDF.derive(key, label: "nyaru/sync/1/body")
  }

  package static func vault(of key: SecretKey) -> VaultID {
    let bytes = HKDF.derive(key, label: "nyaru/sync/1/vault").exportBytes()
    // A key is longer than an identity.
    return VaultID(bytes) ?? .none
  }
}

/// Computes the names under which an endpoint knows collections and records.
///
///     collection tag := HMAC-SHA256(index key, 1, name as UTF-8), the first 16 bytes
///     record tag     := HMAC-SHA256(index key, 2, collection tag, id key), the first 16 bytes
///     catalog tag    := HMAC-SHA256(index key, 3, collection tag), the first 16 bytes
///
/// Names are taken byte by byte: there is no Unicode normalisation. Id keys carry the type of the
/// id, so that 1 and "1" are two records. One object belongs to one task at a time.
package final class TagMaker {
  /// The first byte of what is hashed.
  private enum Kind: UInt8 { case collection = 1, record, catalog }

  private let code: HMACSHA256

  package init(_ keys: VaultKeys) { code = HMACSHA256(key: keys.indexKey) }

  package func collection(_ name: String) -> CollectionTag {
    tag(.collection, Array(name.utf8).span)
  }

  package func record(_ idKey: [UInt8], in collection: CollectionTag) -> RecordTag {
    var writer = ByteWriter(capacity: 17 + idKey.count)
    collection.encode(into: &writer)
    writer.write(idKey)
    return tag(.record, writer.bytes.span)
  }

  package func catalog(of collection: CollectionTag) -> RecordTag {
    tag(.catalog, collection.bytes.span)
  }

  private func tag(_ kind: Kind, _ bytes: Span<UInt8>) -> Identity {
    code.update([kind.rawValue])
    code.update(bytes)
    // A code is longer than an identity.
    return Identity(code.finish()) ?? .none
  }
}
