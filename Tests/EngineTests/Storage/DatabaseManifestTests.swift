import NyaruEngine
import TestSupport
import Testing

@Suite struct DatabaseManifestTests {
  private static let userKey = SecretKey(Array(0..<32).span)

  private func expectContents(_ manifest: DatabaseManifest) {
    #expect(manifest.databaseID == Array(0..<16))
    #expect(manifest.needsReidentification)
    #expect(
      manifest.lockIdentity
        == FileIdentity(
          inode: 0x1122_3344_5566_7788, birthSeconds: -2, birthNanoseconds: 999_999_999))
    #expect(manifest.defaultFormat == .json && manifest.defaultCompression == .gzip)
    let authors: [UInt64] = [0x7265_706C_6963_6131, 0x7265_706C_6963_6132]
    #expect(manifest.replicaIDs == authors.map { ReplicaID(number: $0) })
    #expect(manifest.sequenceFloors == ["%": 7, "+users": UInt64.max])
  }

  @Test func `the clear fixture reads and writes back`() throws {
    let bytes = try Fixture.hex("database-clear")
    let manifest = try DatabaseManifest(decoding: bytes)
    expectContents(manifest)
    #expect(manifest.protection == nil)
    #expect(manifest.encoded(keys: nil) == bytes)
  }

  @Test(arguments: [
    ("database-key", DatabaseCredential.key(userKey)),
    ("database-password", .password("correct horse")),
  ])
  func `the protected fixtures open and write back`(
    name: String, credential: DatabaseCredential
  ) throws {
    let bytes = try Fixture.hex(name)
    let manifest = try DatabaseManifest(decoding: bytes)
    expectContents(manifest)
    let keys = try KeyRing(opening: #require(manifest.protection), with: credential)
    #expect(DatabaseManifest.isAuthentic(bytes, under: keys))
    #expect(manifest.encoded(keys: keys) == bytes)
  }

  @Test(arguments: ["database-clear", "database-key"])
  func `a flipped bit anywhere is found`(name: String) throws {
    for bytes in Mutation.flips(of: try Fixture.hex(name)) {
      #expect(throws: FormatError.self) { try DatabaseManifest(decoding: bytes) }
    }
  }

  @Test(arguments: ["database-clear", "database-key", "database-password"])
  func `a manifest of any shorter or longer size is found`(name: String) throws {
    let whole = try Fixture.hex(name)
    for bytes in Mutation.truncations(of: whole) + [whole + [0], whole + whole] {
      #expect(throws: FormatError.self) { try DatabaseManifest(decoding: bytes) }
    }
  }

  /// Somebody who repairs the checksum gets past the frame: no byte of the body makes it trap,
  /// and with a key no change goes unnoticed.
  @Test(arguments: ["database-clear", "database-key"])
  func `damage with a right checksum is refused or written back as it is`(name: String) throws {
    let whole = try Fixture.hex(name)
    let keys = try DatabaseManifest(decoding: whole).protection.map {
      try KeyRing(opening: $0, with: .key(Self.userKey))
    }
    let body = Array(whole.dropFirst(ManifestFrame.headerSize))
    for damaged in Mutation.flips(of: body) + Mutation.truncations(of: body) {
      let bytes = ManifestFrame.encode(damaged, magic: "NYDB", format: 1)
      guard let manifest = try? DatabaseManifest(decoding: bytes) else { continue }
      if let keys {
        #expect(!DatabaseManifest.isAuthentic(bytes, under: keys))
      } else if manifest.protection == nil {
        #expect(manifest.encoded(keys: nil) == bytes)
      }
    }
  }

  @Test func `another file and a newer format are told from damage`() throws {
    #expect(throws: FormatError.invalid("the file does not begin with NYDB")) {
      try DatabaseManifest(decoding: Fixture.hex("collection-clear"))
    }
    let body = Array(try Fixture.hex("database-clear").dropFirst(ManifestFrame.headerSize))
    #expect(throws: FormatError.unsupported("format 2 of NYDB")) {
      try DatabaseManifest(
        decoding: ManifestFrame.encode(body, magic: "NYDB", format: 2))
    }
    #expect(throws: FormatError.truncated) { try DatabaseManifest(decoding: []) }
    let zeros = [UInt8](repeating: 0, count: ManifestFrame.sizeLimit + 1)
    #expect(throws: FormatError.lengthOutOfRange(UInt64(zeros.count))) {
      try DatabaseManifest(decoding: zeros)
    }
  }
}
