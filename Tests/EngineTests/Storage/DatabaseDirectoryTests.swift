import FoundationEssentials
import Glibc
import NyaruEngine
import TestSupport
import Testing

@Suite struct DatabaseDirectoryTests {
  private let temporary: TemporaryDirectory
  private var path: String { temporary.path("db") }

  init() throws { temporary = try TemporaryDirectory() }

  private func open(
    _ credential: DatabaseCredential? = nil, createIfMissing: Bool = true
  ) throws -> DatabaseDirectory {
    try DatabaseDirectory.open(
      DiskDirectory.open(path: path, createIfMissing: true),
      options: .init(credential: credential, createIfMissing: createIfMissing))
  }

  private func manifest(_ name: String) -> CollectionManifest {
    CollectionManifest(
      name: name, idField: "id", indexedFields: ["a"], format: .json, compression: .gzip,
      created: 5)
  }

  @Test(arguments: [nil, DatabaseCredential.key(SecretKey(Array(0..<32).span))])
  func `what is created is there after reopening`(credential: DatabaseCredential?) throws {
    let database = try open(credential)
    let id = database.databaseID
    let replicaID = database.replicaID
    let records = database.keys?.records.exportBytes()
    let added = try database.addReplicaID()
    let vault = VaultMembership(id: RandomBytes.next(16), key: .random())
    #expect(try database.vault() == nil)
    try database.setVault(vault)
    let collection = try database.createCollection(manifest("users"))
    #expect(collection.sequenceFloor == 0)
    database.close()

    let again = try open(credential, createIfMissing: false)
    #expect(again.databaseID == id)
    #expect(again.replicaIDs == [replicaID, added] && again.replicaID == added)
    #expect(again.keys?.records.exportBytes() == records)
    #expect((records == nil) == (credential == nil))
    #expect(!again.isCopy && !again.needsReidentification)
    let found = try #require(try again.vault())
    #expect(found.id == vault.id && found.key.exportBytes() == vault.key.exportBytes())
    let opened = try #require(try again.openCollection("users"))
    #expect(opened.manifest == collection.manifest && opened.fileName == collection.fileName)
    #expect(try again.openCollection("Users") == nil)
  }

  @Test(arguments: [nil, DatabaseCredential.key(SecretKey(Array(0..<32).span))])
  func `a vault is new until its key leaves the database`(
    credential: DatabaseCredential?
  ) throws {
    let vault = VaultMembership(id: RandomBytes.next(16), key: .random())
    var database = try open(credential)
    #expect(!database.isVaultNew)
    try database.setVault(vault, isNew: true)
    database.close()
    database = try open(credential)
    #expect(database.isVaultNew)
    #expect(try database.vault()?.key.exportBytes() == vault.key.exportBytes())
    try database.shareVault()
    database.close()
    database = try open(credential)
    #expect(!database.isVaultNew)
    #expect(try database.vault()?.id == vault.id)
    try database.setVault(vault)
    #expect(!database.isVaultNew)
  }

  @Test func `a second handle is refused at once, and named`() throws {
    let database = try open()
    #expect(throws: DatabaseDirectoryError.locked(path: path, processID: getpid())) {
      try open()
    }
    database.close()
    let again = try open()
    #expect(throws: DatabaseDirectoryError.closed) { try database.addReplicaID() }
    #expect(again.databaseID == database.databaseID)
  }

  @Test func `where there is no database, none is made up`() throws {
    #expect(throws: DatabaseDirectoryError.notFound(path: path)) {
      try open(createIfMissing: false)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)

    try Data().write(to: URL(filePath: path + "/letter.txt"))
    #expect(throws: DatabaseDirectoryError.foreign(path: path, fileName: "letter.txt")) {
      try open()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["letter.txt"])
  }

  @Test func `a database that another process creates just then is opened`() throws {
    let disk = SimulatedDisk()
    let directory = InterceptedDirectory(disk.root) {
      (try? DatabaseDirectory.open(disk.root))?.close()
    }
    let database = try DatabaseDirectory.open(directory)
    let id = database.databaseID
    database.close()
    #expect(try DatabaseDirectory.open(disk.root).databaseID == id)
    let replacements = disk.journal.count {
      if case .rename(_, _, "database") = $0 { true } else { false }
    }
    #expect(replacements == 1)
  }

  @Test func `a lost manifest is damage and not a new database`() throws {
    let database = try open()
    _ = try database.createCollection(manifest("users"))
    database.close()
    try FileManager.default.removeItem(atPath: path + "/database")
    #expect(
      throws: DatabaseDirectoryError.damaged(
        path: path + "/database", .invalid("the file is missing, but not the data"))
    ) { try open() }
  }

  @Test func `a wrong or missing key is refused before anything is written`() throws {
    let key = SecretKey.random()
    let database = try open(.key(key))
    _ = try database.createCollection(manifest("users"))
    database.close()
    // What an opening would remove, if it came so far.
    try FileManager.default.createDirectory(
      atPath: path + "/collections/x.new", withIntermediateDirectories: false)
    let before = FileManager.default.contents(atPath: path + "/database")

    #expect(throws: DatabaseDirectoryError.key(path: path, .wrongKey)) {
      try open(.key(.random()))
    }
    #expect(throws: DatabaseDirectoryError.key(path: path, .wrongMethod(.key))) {
      try open(.password("secret"))
    }
    #expect(throws: DatabaseDirectoryError.keyRequired(path: path, .key)) { try open() }
    #expect(FileManager.default.contents(atPath: path + "/database") == before)
    #expect(FileManager.default.fileExists(atPath: path + "/collections/x.new"))
    _ = try open(.key(key))
  }

  @Test func `a key for a database that is not encrypted is refused`() throws {
    try open().close()
    #expect(throws: DatabaseDirectoryError.notEncrypted(path: path)) { try open(.key(.random())) }
  }

  @Test func `a changed key opens the same data`() throws {
    let old = SecretKey.random()
    let new = SecretKey.random()
    let database = try open(.key(old))
    let collection = try database.createCollection(manifest("users"))
    try database.setVault(VaultMembership(id: RandomBytes.next(16), key: .random()))
    try database.changeCredential(to: .key(new))
    database.close()
    #expect(throws: DatabaseDirectoryError.key(path: path, .wrongKey)) { try open(.key(old)) }
    let again = try open(.key(new))
    #expect(try again.openCollection("users")?.manifest == collection.manifest)
    #expect(try again.vault() != nil)
  }

  @Test func `an encrypted database shows no name, field or vault key`() throws {
    let database = try open(.key(.random()))
    let vault = VaultMembership(id: RandomBytes.next(16), key: .random())
    try database.setVault(vault)
    var users = manifest("users-of-the-shop")
    users.idField = "customer-number"
    _ = try database.createCollection(users)
    database.close()
    for secret in [
      Array("users-of-the-shop".utf8), Array("customer-number".utf8), vault.key.exportBytes(),
    ] {
      for file in try FileManager.default.subpathsOfDirectory(atPath: path) {
        #expect(!contains(secret, in: Array(file.utf8)))
        let bytes = FileManager.default.contents(atPath: path + "/" + file) ?? Data()
        #expect(!contains(secret, in: Array(bytes)))
      }
    }
  }

  private func contains(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: needle) }
  }

  @Test func `a copied directory becomes another database, once`() throws {
    let database = try open()
    let original = (database.databaseID, database.replicaIDs)
    database.close()
    let copy = temporary.path("copy")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let directory = try DiskDirectory.open(path: copy, createIfMissing: false)

    let first = try DatabaseDirectory.open(directory)
    #expect(first.isCopy && first.needsReidentification)
    #expect(first.databaseID != original.0)
    #expect(first.replicaIDs.count == 2 && first.replicaIDs.first == original.1.first)
    let identities = (first.databaseID, first.replicaIDs)
    first.close()

    let second = try DatabaseDirectory.open(directory)
    #expect(!second.isCopy && second.needsReidentification)
    #expect(second.databaseID == identities.0 && second.replicaIDs == identities.1)
    try second.finishReidentification()
    second.close()
    #expect(try !DatabaseDirectory.open(directory).needsReidentification)

    let again = try open()
    #expect(!again.isCopy && again.databaseID == original.0)
  }

  @Test func `a directory that was moved is no copy`() throws {
    let database = try open()
    database.close()
    try FileManager.default.moveItem(atPath: path, toPath: temporary.path("moved"))
    let directory = try DiskDirectory.open(path: temporary.path("moved"), createIfMissing: false)
    #expect(try !DatabaseDirectory.open(directory).isCopy)
  }

  @Test func `a directory whose LOCK is gone counts as a copy`() throws {
    try open().close()
    try FileManager.default.removeItem(atPath: path + "/LOCK")
    #expect(try open().isCopy)
  }
}
