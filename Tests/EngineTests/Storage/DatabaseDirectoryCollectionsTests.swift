import FoundationEssentials
import NyaruEngine
import TestSupport
import Testing

@Suite struct DatabaseDirectoryCollectionsTests {
  private let temporary: TemporaryDirectory
  private let directory: DiskDirectory

  init() throws {
    temporary = try TemporaryDirectory()
    directory = try DiskDirectory.open(path: temporary.path("db"), createIfMissing: true)
  }

  private func manifest(_ name: String) -> CollectionManifest {
    CollectionManifest(
      name: name, idField: "id", format: .messagePack, compression: .none, created: 0)
  }

  private func names(_ database: DatabaseDirectory) throws -> [[UInt8]] {
    try database.listCollections().map { Array(try $0.manifest.get().name.utf8) }
  }

  @Test(arguments: [nil, DatabaseCredential.key(SecretKey(Array(0..<32).span))])
  func `any string is a name, and each its own collection`(
    credential: DatabaseCredential?
  ) throws {
    let nasty = [
      "", "..", "a/b", "\0", "users", "Users", "é", "e\u{301}", ".new", "a.new", "x.dropped.1",
      String(repeating: "🐈", count: 300), String(repeating: "n", count: 1_024),
    ]
    let database = try DatabaseDirectory.open(directory, options: .init(credential: credential))
    for name in nasty { _ = try database.createCollection(manifest(name)) }
    database.close()

    let again = try DatabaseDirectory.open(directory, options: .init(credential: credential))
    let sorted = nasty.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(try names(again) == sorted)
    for name in nasty {
      let found = try #require(try again.openCollection(name))
      #expect(Array(found.manifest.name.utf8) == Array(name.utf8))
      #expect(throws: DatabaseDirectoryError.collectionExists(name)) {
        try again.createCollection(manifest(name))
      }
    }
    #expect(throws: DatabaseDirectoryError.self) {
      try again.createCollection(manifest(String(repeating: "n", count: 65_537)))
    }
  }

  @Test func `sequences never start again under a dropped name`() throws {
    let database = try DatabaseDirectory.open(directory)
    let first = try database.createCollection(manifest("users"))
    _ = try first.directory.createDirectory("shards").createFile("default.1")
    _ = try first.directory.createFile("head")
    try database.dropCollection("users", sequenceFloor: 4_096)
    #expect(try database.openCollection("users") == nil)
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: directory.path + "/collections"
      ).isEmpty)
    #expect(throws: DatabaseDirectoryError.collectionNotFound("users")) {
      try database.dropCollection("users", sequenceFloor: 0)
    }

    let second = try database.createCollection(manifest("users"))
    #expect(second.sequenceFloor == 4_096)
    #expect(second.manifest.collectionID != first.manifest.collectionID)
    #expect(try database.createCollection(manifest("others")).sequenceFloor == 0)
    try database.dropCollection("users", sequenceFloor: 10)
    database.close()
    let again = try DatabaseDirectory.open(directory)
    #expect(try again.createCollection(manifest("users")).sequenceFloor == 4_096)
  }

  @Test func `other indexed fields are there after reopening`() throws {
    let database = try DatabaseDirectory.open(directory)
    let collection = try database.createCollection(manifest("users"))
    var changed = collection.manifest
    changed.indexedFields = ["email"]
    let replaced = try database.replaceManifest(of: collection, with: changed)
    #expect(replaced.manifest == changed)
    database.close()
    let again = try DatabaseDirectory.open(directory)
    #expect(try again.openCollection("users")?.manifest == changed)
  }

  @Test func `one unreadable manifest hides no other collection`() throws {
    let database = try DatabaseDirectory.open(directory)
    for name in ["a", "b", "c"] { _ = try database.createCollection(manifest(name)) }
    let path = directory.path + "/collections/"
    try Data("nonsense".utf8).write(to: URL(filePath: path + "a/manifest"))
    try FileManager.default.removeItem(atPath: path + "b/manifest")
    let listing = try database.listCollections()
    #expect(listing.map(\.fileName) == ["c", "a", "b"])
    #expect(
      throws: DatabaseDirectoryError.damaged(
        path: path + "a/manifest", .invalid("the file does not begin with NYCM"))
    ) {
      try database.openCollection("a")
    }
    #expect(throws: DatabaseDirectoryError.self) { try database.createCollection(manifest("b")) }
    #expect(
      throws: DatabaseDirectoryError.damaged(
        path: path + "b/manifest", .invalid("the file is missing"))
    ) { try listing[2].manifest.get() }
  }

  @Test func `a manifest in another collection's directory is refused`() throws {
    let database = try DatabaseDirectory.open(directory)
    for name in ["a", "b"] { _ = try database.createCollection(manifest(name)) }
    let path = directory.path + "/collections/"
    try FileManager.default.removeItem(atPath: path + "b/manifest")
    try FileManager.default.copyItem(atPath: path + "a/manifest", toPath: path + "b/manifest")
    #expect(
      throws: DatabaseDirectoryError.damaged(
        path: path + "b/manifest", .invalid("the manifest of another collection"))
    ) { try database.openCollection("b") }
  }

  @Test func `leftovers go, and what others put there stays`() throws {
    let database = try DatabaseDirectory.open(directory)
    _ = try database.createCollection(manifest("users"))
    database.close()
    let path = directory.path + "/collections/"
    for name in ["users.new", "users.dropped.1f/shards", "users.backup", "a.dropped.x"] {
      try FileManager.default.createDirectory(
        atPath: path + name, withIntermediateDirectories: true)
    }
    try Data().write(to: URL(filePath: path + "users.dropped.1f/shards/default.1"))
    let again = try DatabaseDirectory.open(directory)
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: path))
        == ["users", "users.backup", "a.dropped.x"])
    #expect(try names(again) == [Array("users".utf8)])
  }

  @Test func `handles in one process create one collection between them`() async throws {
    let database = try DatabaseDirectory.open(directory)
    let created = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 {
        group.addTask { (try? database.createCollection(manifest("users"))) != nil }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(created == 1)
  }
}
