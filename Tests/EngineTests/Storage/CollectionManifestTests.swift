import NyaruEngine
import TestSupport
import Testing

@Suite struct CollectionManifestTests {
  private static let name = "Users/é 🐈"
  private let key: SecretKey
  private let fileName: String

  init() throws {
    let database = try DatabaseManifest(decoding: Fixture.hex("database-key"))
    let keys = try KeyRing(
      opening: #require(database.protection), with: .key(SecretKey(Array(0..<32).span)))
    key = keys.manifests
    fileName = Names(key: keys.names).fileName(for: Self.name, in: .collection)
  }

  private func expectContents(_ manifest: CollectionManifest) {
    #expect(manifest.collectionID == [UInt8](repeating: UInt8(ascii: "C"), count: 16))
    #expect(Array(manifest.name.utf8) == Array(Self.name.utf8))
    #expect(manifest.idField == "id" && manifest.partitionKey == "region")
    #expect(manifest.indexedFields == ["email", "address.city"])
    #expect(manifest.format == .messagePack && manifest.compression == .gzip)
    #expect(manifest.created == 1_750_000_000_000)
  }

  @Test func `the clear fixture reads and writes back`() throws {
    let bytes = try Fixture.hex("collection-clear")
    let manifest = try CollectionManifest(decoding: bytes, fileName: "x", key: nil)
    expectContents(manifest)
    #expect(try manifest.encoded(fileName: "x", key: nil) == bytes)
  }

  @Test func `the fixture with dictionaries reads and writes back`() throws {
    let bytes = try Fixture.hex("collection-dictionaries")
    let manifest = try CollectionManifest(decoding: bytes, fileName: "x", key: nil)
    expectContents(manifest)
    #expect(manifest.dictionaries.map(\.version) == [1, 2])
    #expect(manifest.dictionaries.map(\.bytes) == [Array("first".utf8), Array(0..<100)])
    #expect(try manifest.encoded(fileName: "x", key: nil) == bytes)
    let sealed = try manifest.encoded(fileName: "x", key: key)
    #expect(sealed.firstRange(of: Array("first".utf8)) == nil)
    #expect(try CollectionManifest(decoding: sealed, fileName: "x", key: key) == manifest)
  }

  @Test func `the sealed fixture opens in its directory only`() throws {
    let bytes = try Fixture.hex("collection-sealed")
    let manifest = try CollectionManifest(decoding: bytes, fileName: fileName, key: key)
    expectContents(manifest)
    #expect(throws: FormatError.checksumMismatch) {
      try CollectionManifest(decoding: bytes, fileName: "h00", key: key)
    }
    #expect(throws: FormatError.checksumMismatch) {
      try CollectionManifest(decoding: bytes, fileName: fileName, key: .random())
    }
    #expect(throws: FormatError.invalid("sealed, without a key")) {
      try CollectionManifest(decoding: bytes, fileName: fileName, key: nil)
    }
    #expect(throws: FormatError.invalid("clear in an encrypted database")) {
      try CollectionManifest(
        decoding: Fixture.hex("collection-clear"), fileName: fileName, key: key)
    }
    let again = try manifest.encoded(fileName: fileName, key: key)
    #expect(again != bytes)
    #expect(
      try CollectionManifest(decoding: again, fileName: fileName, key: key) == manifest)
  }

  @Test(arguments: ["collection-clear", "collection-sealed", "collection-dictionaries"])
  func `damage anywhere is found`(name: String) throws {
    let whole = try Fixture.hex(name)
    let key = name == "collection-sealed" ? key : nil
    for bytes in Mutation.flips(of: whole) + Mutation.truncations(of: whole) + [whole + [0]] {
      #expect(throws: FormatError.self) {
        try CollectionManifest(decoding: bytes, fileName: fileName, key: key)
      }
    }
  }

  @Test(arguments: ["collection-clear", "collection-sealed", "collection-dictionaries"])
  func `damage with a right checksum is refused or written back as it is`(name: String) throws {
    let key = name == "collection-sealed" ? key : nil
    let body = Array(try Fixture.hex(name).dropFirst(ManifestFrame.headerSize))
    for damaged in Mutation.flips(of: body) + Mutation.truncations(of: body) {
      let bytes = ManifestFrame.encode(damaged, magic: "NYCM", format: 1)
      guard
        let manifest = try? CollectionManifest(decoding: bytes, fileName: fileName, key: key)
      else { continue }
      #expect(key == nil)
      #expect(try manifest.encoded(fileName: fileName, key: nil) == bytes)
    }
  }

  @Test func `a text that is not UTF-8 is refused`() throws {
    var body = Array(try Fixture.hex("collection-clear").dropFirst(ManifestFrame.headerSize))
    let offset = try #require(body.firstIndex(of: UInt8(ascii: "U")))
    body[offset] = 0xFF
    #expect(throws: FormatError.invalid("text that is not UTF-8")) {
      try CollectionManifest(
        decoding: ManifestFrame.encode(body, magic: "NYCM", format: 1), fileName: "x", key: nil)
    }
  }

  @Test func `every limit is named`() {
    let fine = CollectionManifest(
      name: String(repeating: "n", count: Names.nameSizeLimit),
      idField: String(repeating: "i", count: CollectionManifest.fieldSizeLimit),
      indexedFields: (0..<CollectionManifest.indexedFieldLimit).map { "field\($0)" },
      format: .json, compression: .none, created: 0)
    #expect(throws: Never.self) { try fine.check() }
    var manifest = fine
    manifest.name += "n"
    #expect(throws: DatabaseDirectoryError.limit("the size of a collection's name", 65_536)) {
      try manifest.check()
    }
    manifest = fine
    manifest.partitionKey = fine.idField + "i"
    #expect(throws: DatabaseDirectoryError.limit("the size of a field's path", 4_096)) {
      try manifest.check()
    }
    manifest = fine
    manifest.indexedFields.append("one more")
    #expect(throws: DatabaseDirectoryError.limit("the number of indexed fields", 256)) {
      try manifest.check()
    }
  }
}
