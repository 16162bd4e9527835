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

  /// Somebody who has the directory could make guessing cheap, or opening endless.
  @Test(
    arguments: [
      [2, 16, 8, 1], [2, 21, 8, 1], [2, 17, 7, 1], [2, 17, 17, 1], [2, 17, 8, 0], [2, 17, 8, 5],
      [3, 0xBF, 0x27, 0x09, 0], [3, 0x81, 0x96, 0x98, 0], [3, 0, 0, 0, 0], [3, 255, 255, 255, 255],
    ] as [[UInt8]])
  func `parameters below the floor or above the ceiling are refused before a key is made`(
    parameters: [UInt8]
  ) throws {
    let whole = try Fixture.hex("database-password")
    let body = Array(whole.dropFirst(ManifestFrame.headerSize))
    let stored: [UInt8] = [2, 17, 8, 1, 16]
    let place = try #require(body.firstRange(of: stored))
    var changed = body
    changed.replaceSubrange(place.lowerBound..<place.upperBound - 1, with: parameters)
    let bytes = ManifestFrame.encode(changed, magic: "NYDB", format: 1)
    #expect {
      try DatabaseManifest(decoding: bytes)
    } throws: { error in
      guard case .invalid(let reason) = error as? FormatError else { return false }
      return reason.hasPrefix("password parameters")
    }
  }

  @Test(
    arguments: [[2, 20, 16, 4], [3, 0xC0, 0x27, 0x09, 0], [3, 0x80, 0x96, 0x98, 0]] as [[UInt8]])
  func `parameters at the floor and at the ceiling are read`(parameters: [UInt8]) throws {
    let whole = try Fixture.hex("database-password")
    var body = Array(whole.dropFirst(ManifestFrame.headerSize))
    let place = try #require(body.firstRange(of: [2, 17, 8, 1, 16] as [UInt8]))
    body.replaceSubrange(place.lowerBound..<place.upperBound - 1, with: parameters)
    let bytes = ManifestFrame.encode(body, magic: "NYDB", format: 1)
    #expect(try DatabaseManifest(decoding: bytes).protection != nil)
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
