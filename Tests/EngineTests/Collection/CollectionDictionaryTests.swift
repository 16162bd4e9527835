import NyaruEngine
import TestSupport
import Testing

/// Small documents that are compressed with what they have in common.
@Suite struct CollectionDictionaryTests {
  private func options(
    _ compression: CompressionMethod = .gzip, key: SecretKey? = nil, format: BodyFormat = .msgpack
  ) -> DatabaseOptions {
    var options = DatabaseOptions(compression: compression, format: format, encryptionKey: key)
    options.dictionaryTrialStart = 32
    return options
  }

  private func documents(_ range: Range<Int>) -> [[String: String]] {
    range.map { id in
      [
        "id": "user-\(id)", "email": "user\(id * 31)@mail.example.org", "country": "Brazil",
        "language": "Portuguese", "note": "born in the city number \(id % 7)",
      ]
    }
  }

  private static let keys: [SecretKey?] = [nil, .sample(4)]

  @Test(arguments: keys, [BodyFormat.msgpack, .json])
  func `old and new versions read, also after compaction and reopening`(
    key: SecretKey?, format: BodyFormat
  ) async throws {
    let options = options(key: key, format: format)
    var scratch = try ScratchDatabase(options)
    var users = try await scratch.database.collection("u", of: [String: String].self)
    var counts: [Int] = []
    for start in stride(from: 0, to: 400, by: 20) {
      try await users.insert(contentsOf: documents(start..<start + 20))
      counts.append(await users.core.dictionaryCount)
      if start == 200 {
        scratch = try await scratch.reopened(options)
        users = try await scratch.database.collection("u", of: [String: String].self)
      }
    }
    #expect(counts.first == 0)
    #expect(counts.contains(1))
    try await users.delete(ids: (0..<100).map { "user-\($0)" })
    try await users.compact()
    scratch = try await scratch.reopened(options)
    users = try await scratch.database.collection("u", of: [String: String].self)
    let found = try await users.all().sorted { $0["id"] ?? "" < $1["id"] ?? "" }
    #expect(found == documents(100..<400).sorted { $0["id"] ?? "" < $1["id"] ?? "" })
    #expect(try await users.core.check().isSound)
    #expect(await users.core.dictionaryCount == counts.last)
    try await scratch.database.close()
  }

  @Test func `small documents become far smaller than deflate alone makes them`() async throws {
    var sizes: [UInt64] = []
    for start: UInt64 in [32, .max] {
      var options = options()
      options.dictionaryTrialStart = start
      let scratch = try ScratchDatabase(options)
      let users = try await scratch.database.collection("u", of: [String: String].self)
      try await users.insert(contentsOf: documents(0..<40))
      let before = await users.metrics().storage.bytesWritten
      try await users.insert(contentsOf: documents(100..<600))
      sizes.append(await users.metrics().storage.bytesWritten - before)
      try await scratch.database.close()
    }
    #expect(sizes[0] * 4 < sizes[1] * 3)
  }

  @Test func `there is none where it would not help, or nothing is compressed`() async throws {
    for (options, isNoise) in [(options(.none), false), (options(), true)] {
      let scratch = try ScratchDatabase(options)
      let users = try await scratch.database.collection("u", of: [String: String].self)
      for document in documents(0..<80) {
        var document = document
        if isNoise {
          let noise = RandomBytes.next(400).map { String($0, radix: 16) }.joined()
          document = ["id": document["id"] ?? "", "note": noise]
        }
        try await users.insert(document)
      }
      #expect(await users.core.dictionaryCount == 0)
      try await scratch.database.close()
    }
  }

  @Test func `documents that change call for another dictionary, and the old one stays`()
    async throws
  {
    let scratch = try ScratchDatabase(options())
    let users = try await scratch.database.collection("u", of: [String: String].self)
    try await users.insert(contentsOf: documents(0..<40))
    #expect(await users.core.dictionaryCount == 1)
    let others = (0..<1_200).map { id in
      [
        "id": "order-\(id)", "warehouse": "Rotterdam Maasvlakte \(id % 9)",
        "article": "left-handed screwdriver", "price": "\(id % 100) Euro and \(id % 99) Cent",
      ]
    }
    for start in stride(from: 0, to: 1_200, by: 100) {
      try await users.insert(contentsOf: others[start..<start + 100])
    }
    #expect(await users.core.dictionaryCount == 2)
    #expect(try await users.get(id: "user-3") == documents(3..<4).first)
    #expect(try await users.get(id: "order-1199") == others.last)
    let again = try await scratch.reopened(options())
    let reopened = try await again.database.collection("u", of: [String: String].self)
    #expect(try await reopened.get(id: "user-39") == documents(39..<40).first)
    #expect(try await reopened.count() == 1_240)
    try await again.database.close()
  }

  @Test func `a trial comes after eight times the writes of the one before`() {
    #expect(CollectionCore.trial(after: 0, first: 1_024) == 1_024)
    #expect(CollectionCore.trial(after: 1_023, first: 1_024) == 1_024)
    #expect(CollectionCore.trial(after: 1_024, first: 1_024) == 8_192)
    #expect(CollectionCore.trial(after: 100_000, first: 1_024) == 524_288)
    #expect(CollectionCore.trial(after: .max, first: 1_024) == .max)
    #expect(CollectionCore.trial(after: 5, first: 0) == 8)
  }
}
