/// The vault that a database belongs to.
package struct VaultMembership: Sendable {
  package static let idSize = 16

  package let id: [UInt8]
  package let key: SecretKey

  /// - Precondition: The id has 16 bytes.
  package init(id: [UInt8], key: SecretKey) {
    precondition(id.count == Self.idSize, "the caller checks the size")
    self.id = id
    self.key = key
  }
}

/// The file `database`: who the database is, and what must outlive its collections.
///
///     body    := databaseID u8[16], flags u8 (bit 0: reidentification pending; others 0),
///                LOCK's inode u64, birth seconds i64, birth nanoseconds u32,
///                default format u8, default compression u8,
///                replica count varint, n × replicaID u8[8]     oldest first, the last is current
///                floor count varint, n × (file name, sequence u64)   ascending by file name
///                protection: 0 u8 | KeyProtection,
///                vault: 0 u8 | 1 or 2 u8, vaultID u8[16], vault key length varint, vault key,
///                code u8[32] if protected
///     code    := HMAC-SHA256 under the authentication key over the body before it
///
/// The vault key is clear in a database without protection, and a box under the vault's wrapping
/// key in one with it; associated data: the vaultID. 2 says that the vault was made here and that
/// nobody else has its key yet. Texts are length-prefixed.
package struct DatabaseManifest: Equatable, Sendable {
  package static let fileName = "database"
  package static let databaseIDSize = 16
  package static let replicaLimit = 65_536
  package static let floorLimit = 65_536

  package var databaseID: [UInt8]
  package var needsReidentification = false
  package var lockIdentity: FileIdentity
  package var defaultFormat: BodyFormat
  package var defaultCompression: CompressionMethod

  /// All authors that wrote here under this or an earlier identity; the last one writes now.
  package var replicaIDs: [ReplicaID]

  /// By the file name of a dropped collection, the highest sequence that it may have used.
  package var sequenceFloors: [String: UInt64] = [:]

  package var protection: KeyProtection?

  /// The vault's id, and its key as it is stored.
  var vault: StoredVault?

  package init(
    databaseID: [UInt8], lockIdentity: FileIdentity, defaultFormat: BodyFormat,
    defaultCompression: CompressionMethod, replicaIDs: [ReplicaID],
    protection: KeyProtection? = nil
  ) {
    self.databaseID = databaseID
    self.lockIdentity = lockIdentity
    self.defaultFormat = defaultFormat
    self.defaultCompression = defaultCompression
    self.replicaIDs = replicaIDs
    self.protection = protection
  }

  /// A vault key as the manifest holds it: clear, or sealed where the database is protected.
  struct StoredVault: Equatable, Sendable {
    var id: [UInt8]
    var storedKey: [UInt8]

    /// Nobody else has the key yet.
    var isNew: Bool
  }
}

extension DatabaseManifest {
  static let magic = "NYDB"
  static let format: UInt32 = 1

  /// Reads a manifest whose code, if any, the caller verifies with ``isAuthentic(_:under:)``.
  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let body = try ManifestFrame.decode(bytes, magic: Self.magic, format: Self.format)
    var reader = ByteReader(body.span)
    databaseID = try reader.readBytes(Self.databaseIDSize)
    needsReidentification = try reader.readBool()
    lockIdentity = FileIdentity(
      inode: try reader.readUInt64(),
      birthSeconds: Int64(bitPattern: try reader.readUInt64()),
      birthNanoseconds: try reader.readUInt32())
    guard let format = BodyFormat(rawValue: try reader.readUInt8()) else {
      throw .unsupported("body format")
    }
    guard let compression = CompressionMethod(rawValue: try reader.readUInt8()) else {
      throw .unsupported("compression")
    }
    defaultFormat = format
    defaultCompression = compression
    replicaIDs = try Self.readReplicaIDs(&reader)
    sequenceFloors = try Self.readFloors(&reader)
    let method = try reader.readUInt8()
    protection = method == 0 ? nil : try KeyProtection(method: method, from: &reader)
    vault = try Self.readVault(&reader, isProtected: protection != nil)
    if protection != nil { try reader.skip(HMACSHA256.size) }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the manifest's last field") }
  }

  /// The file's bytes.
  ///
  /// - Precondition: There is a key ring exactly if the manifest has a protection.
  package func encoded(keys: KeyRing?) -> [UInt8] {
    precondition((keys == nil) == (protection == nil), "a protected manifest has a key ring")
    var writer = ByteWriter()
    writer.write(databaseID)
    writer.write(needsReidentification ? 1 as UInt8 : 0)
    writer.write(lockIdentity.inode)
    writer.write(UInt64(bitPattern: lockIdentity.birthSeconds))
    writer.write(lockIdentity.birthNanoseconds)
    writer.write(defaultFormat.rawValue)
    writer.write(defaultCompression.rawValue)
    writer.writeVarint(UInt64(replicaIDs.count))
    for replicaID in replicaIDs { replicaID.encode(into: &writer) }
    writer.writeVarint(UInt64(sequenceFloors.count))
    for name in sequenceFloors.keys.sorted(by: Self.precedes) {
      writer.writeText(name)
      writer.write(sequenceFloors[name] ?? 0)
    }
    if let protection { protection.encode(into: &writer) } else { writer.write(0 as UInt8) }
    writer.write(vault.map { $0.isNew ? 2 as UInt8 : 1 } ?? 0)
    if let vault {
      writer.write(vault.id)
      writer.writeLengthPrefixed(vault.storedKey)
    }
    if let keys { writer.write(HMACSHA256.code(for: writer.bytes, key: keys.authentication)) }
    return ManifestFrame.encode(writer.finish(), magic: Self.magic, format: Self.format)
  }

  /// Whether the bytes, which decoded, were written by somebody who has the keys.
  package static func isAuthentic(_ bytes: [UInt8], under keys: KeyRing) -> Bool {
    let body = bytes.dropFirst(ManifestFrame.headerSize)
    guard body.count >= HMACSHA256.size else { return false }
    let code = HMACSHA256.code(
      for: Array(body.dropLast(HMACSHA256.size)), key: keys.authentication)
    return equalBytes(code.span, Array(body.suffix(HMACSHA256.size)).span)
  }

  private static func readReplicaIDs(
    _ reader: inout ByteReader
  ) throws(FormatError) -> [ReplicaID] {
    let count = try reader.readVarint()
    guard (1...UInt64(replicaLimit)).contains(count) else { throw .lengthOutOfRange(count) }
    guard count * UInt64(ReplicaID.size) <= reader.remaining else { throw .truncated }
    var replicaIDs: [ReplicaID] = []
    for _ in 0..<count { replicaIDs.append(try ReplicaID(from: &reader)) }
    guard Set(replicaIDs).count == replicaIDs.count else { throw .invalid("a replicaID twice") }
    return replicaIDs
  }

  private static func readFloors(
    _ reader: inout ByteReader
  ) throws(FormatError) -> [String: UInt64] {
    let count = try reader.readVarint()
    guard count <= UInt64(floorLimit) else { throw .lengthOutOfRange(count) }
    var floors: [String: UInt64] = [:]
    var last: String?
    for _ in 0..<count {
      let name = try reader.readText(limit: 255)
      guard name.utf8.allSatisfy({ $0 < 0x80 }) else { throw .invalid("a floor's file name") }
      if let last, !precedes(last, name) { throw .invalid("floors out of order") }
      floors[name] = try reader.readUInt64()
      last = name
    }
    return floors
  }

  private static func readVault(
    _ reader: inout ByteReader, isProtected: Bool
  ) throws(FormatError) -> StoredVault? {
    let kind = try reader.readUInt8()
    if kind == 0 { return nil }
    guard kind <= 2 else { throw .unsupported("vault") }
    let id = try reader.readBytes(VaultMembership.idSize)
    let size = SecretKey.size + (isProtected ? XAES256GCM.overhead : 0)
    let storedKey = try reader.readBytes(try reader.readLength(limit: size))
    guard storedKey.count == size else { throw .invalid("a vault key of another size") }
    return StoredVault(id: id, storedKey: storedKey, isNew: kind == 2)
  }

  /// The order of bytes, which no Unicode rule changes.
  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
