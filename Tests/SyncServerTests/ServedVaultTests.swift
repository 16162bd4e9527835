import Foundation
import NyaruEngine
import NyaruSyncHTTP
import NyaruSyncLog
import NyaruSyncServer
import TestSupport
import Testing

/// Databases that meet at an endpoint, over sockets, with everything as an application has it.
@Suite struct ServedVaultTests {
  private let directory: TemporaryDirectory
  private let key = SecretKey.random()
  private let log = RequestLog()

  init() throws { directory = try TemporaryDirectory() }

  private var storePath: String { directory.path("store") }

  private func serve() async throws -> EndpointServer {
    var configuration = EndpointConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 0))
    configuration.limits = .unhurried
    configuration.log = { [log] in log.append($0) }
    return try await EndpointServer.start(configuration, storePath: storePath)
  }

  private func database(_ name: String) async throws -> NyaruDB {
    let database = try NyaruDB(path: directory.path(name))
    try await Replica(database).join(key)
    return database
  }

  private func peer(_ server: EndpointServer, token: String) throws -> Peer {
    let vault = VaultKeys.vault(of: key)
    let address = try EndpointAddress("http://127.0.0.1:\(server.port)/\(vault)")
    return try .endpoint(address, token: token)
  }

  private func documents(_ count: Int) throws -> [Document] {
    try (0..<count).map { number in
      try Document(
        json: #"{"id": "person-\#(number)", "name": "Ada L\#(number)velace", "n": \#(number)}"#)
    }
  }

  @Test func `two databases meet at an endpoint that was started twice`() async throws {
    let token = try TokenStore(storePath: storePath).create(scopes: .all).text
    let first = try await database("first")
    let second = try await database("second")
    let people = try await first.collection("people", of: Document.self)
    try await people.insert(contentsOf: try documents(300))

    var server = try await serve()
    let sent = try await Replica(first).sync(with: try peer(server, token: token))
    #expect(sent.sent >= 300 && sent.conflicts == 0)
    try await server.stop()

    server = try await serve()
    let received = try await Replica(second).sync(with: try peer(server, token: token))
    #expect(received.applied >= 300)
    let copies = try await second.collection("people", of: Document.self)
    #expect(try await copies.count() == 300)
    #expect(try await copies.get(id: "person-7")?.json() == people.get(id: "person-7")?.json())

    let idle = try await Replica(second).sync(with: try peer(server, token: token))
    #expect(idle.sent == 0 && idle.received == 0)
    try await server.stop()
    try await first.close()
    try await second.close()
  }

  @Test func `what an endpoint lost to a flipped bit comes back from who has it`() async throws {
    let token = try TokenStore(storePath: storePath).create(scopes: .all).text
    let first = try await database("first")
    let second = try await database("second")
    let people = try await first.collection("people", of: Document.self)
    try await people.insert(contentsOf: try documents(20))
    var random = SeededGenerator(seed: 1)
    let noise = (0..<8000).map { _ in String(random.next() as UInt64, radix: 36) }.joined()
    try await people.insert(try Document(json: #"{"id": "large", "noise": "\#(noise)"}"#))
    var server = try await serve()
    _ = try await Replica(first).sync(with: try peer(server, token: token))
    try await server.stop()
    #expect(try flipBit(below: storePath) == 1)

    server = try await serve()
    let early = try await Replica(second).sync(with: try peer(server, token: token))
    #expect(early.applied >= 20)
    let copies = try await second.collection("people", of: Document.self)
    #expect(try await copies.get(id: "large") == nil)
    let mending = try await Replica(first).sync(with: try peer(server, token: token))
    #expect(mending.sent >= 1)
    _ = try await Replica(second).sync(with: try peer(server, token: token))
    #expect(try await copies.get(id: "large")?.json() == people.get(id: "large")?.json())
    let idle = try await Replica(first).sync(with: try peer(server, token: token))
    #expect(idle.sent == 0 && idle.received == 0)
    try await server.stop()
    try await first.close()
    try await second.close()
  }

  /// Flips a bit within the ciphertext of the one large record; returns how many files have one.
  private func flipBit(below path: String) throws -> Int {
    let files = try #require(FileManager.default.enumerator(atPath: path))
    var count = 0
    while let name = files.nextObject() as? String {
      guard name.contains("/shards/"),
        var content = FileManager.default.contents(atPath: path + "/" + name)
      else { continue }
      // Nothing else is as long and as random.
      let places = stride(from: 0, to: max(0, content.count - 4096), by: 4096).filter {
        Set(content[$0..<$0 + 4096]).count == 256
      }
      guard places.count > 8 else { continue }
      content[places[places.count / 2] + 2048] ^= 1
      try content.write(to: URL(filePath: path + "/" + name))
      count += 1
    }
    return count
  }

  @Test func `an endpoint holds and logs no id, no name and no value`() async throws {
    let token = try TokenStore(storePath: storePath).create(scopes: .all).text
    let first = try await database("first")
    let people = try await first.collection("people", of: Document.self)
    try await people.insert(contentsOf: try documents(50))
    let server = try await serve()
    _ = try await Replica(first).sync(with: try peer(server, token: token))
    try await server.stop()
    try await first.close()

    var haystack = try bytes(below: storePath)
    haystack.append(Data("\(log.entries)".utf8))
    #expect(haystack.count > 50 * 60)
    var needles = ["people", "person-", "velace", token, KeyText.encode(key, as: .vault)]
    needles += (0..<50).map { "person-\($0)" }
    for needle in needles { #expect(haystack.range(of: Data(needle.utf8)) == nil, "\(needle)") }
    #expect(haystack.range(of: Data(key.exportBytes())) == nil)
    // The search would find what is there.
    #expect(haystack.range(of: Data("LOCK".utf8)) != nil)
  }

  @Test func `a token that may only pull sends nothing`() async throws {
    let tokens = try TokenStore(storePath: storePath)
    let all = try tokens.create(scopes: .all).text
    let reading = try tokens.create(scopes: .pull).text
    let first = try await database("first")
    let second = try await database("second")
    try await first.collection("people", of: Document.self)
      .insert(contentsOf: try documents(10))
    let server = try await serve()
    _ = try await Replica(first).sync(with: try peer(server, token: all))
    let report = try await Replica(second).pull(from: try peer(server, token: reading))
    #expect(report.applied >= 10)
    let copies = try await second.collection("people", of: Document.self)
    try await copies.insert(try Document(json: #"{"id": "mine"}"#))
    await #expect { try await Replica(second).push(to: try peer(server, token: reading)) } throws: {
      if case .notAuthorized = $0 as? SyncError { true } else { false }
    }
    try await server.stop()
    try await first.close()
    try await second.close()
  }

  /// Names and contents of all files below a directory.
  private func bytes(below path: String) throws -> Data {
    var all = Data()
    let files = try #require(FileManager.default.enumerator(atPath: path))
    while let name = files.nextObject() as? String {
      all.append(Data((name + "\n").utf8))
      if let content = FileManager.default.contents(atPath: path + "/" + name) {
        all.append(content)
      }
    }
    return all
  }
}
