package import NyaruEngine

/// Small records for tests of the store: an id number, a body, a shard by the id, and one index
/// over the body's first byte.
package enum TestRecords {
  package static let collectionID = [UInt8](repeating: 0xC0, count: 16)

  package static func configuration(
    bootID: UInt64 = 1, key: SecretKey? = nil, indexed: Bool = true
  ) -> StoreConfiguration {
    var configuration = StoreConfiguration(
      collectionID: collectionID, indexes: indexed ? [IndexDefinition(path: "first")] : [],
      extractKeys: { payload, layout in
        indexed ? [firstByte(payload.extracting(layout.bodyOffset..<payload.count))] : []
      }, names: Names(key: key), key: key, bootID: bootID)
    configuration.reservation = 16
    return configuration
  }

  package static func idKey(_ id: Int) -> [UInt8] { Array("id\(id)".utf8) }

  package static func id(_ idKey: some Collection<UInt8>) -> Int? {
    Int(String(decoding: idKey.dropFirst(2), as: UTF8.self))
  }

  package static func write(
    _ id: Int, _ body: [UInt8], shards: Int = 3, indexed: Bool = true
  ) -> RecordWrite {
    RecordWrite(
      idKey: idKey(id), shardKey: "shard\(id % shards)", prelude: prelude(id),
      bodySection: body, indexKeys: indexed ? [body.first.map { [$0] }] : [])
  }

  /// A record whose body section was deflated, or says so.
  package static func deflated(
    _ id: Int, _ body: [UInt8], section: [UInt8], prelude: [UInt8]
  ) -> RecordWrite {
    RecordWrite(
      idKey: idKey(id), shardKey: "shard\(id % 3)", prelude: prelude, bodySection: section,
      compression: .deflate, indexKeys: [body.first.map { [$0] }])
  }

  package static func deletion(_ id: Int, shards: Int = 3) -> RecordWrite {
    RecordWrite(
      idKey: idKey(id), shardKey: "shard\(id % shards)", isDeletion: true,
      prelude: [1, 0, UInt8(idKey(id).count)] + idKey(id))
  }

  /// A prelude in its own short form: author 0, tag and time zero.
  package static func prelude(_ id: Int, rawSize: Int? = nil) -> [UInt8] {
    var writer = ByteWriter()
    writer.write([UInt8](repeating: 0, count: 16))
    writer.writeLengthPrefixed(idKey(id))
    if let rawSize { writer.writeVarint(UInt64(rawSize)) }
    return writer.finish()
  }

  /// All records that read, and how many do not.
  package static func contents(
    of snapshot: StoreSnapshot
  ) throws -> (records: [Int: [UInt8]], damaged: Int) {
    var records: [Int: [UInt8]] = [:]
    var damaged = 0
    try snapshot.scanAll(
      onDamage: { _, _ in damaged += 1 },
      { _, view in
        let idKey = Array(copying: view.idKey)
        if let id = id(idKey) { records[id] = Array(copying: view.body) }
        return true
      })
    return (records, damaged)
  }

  private static func firstByte(_ body: Span<UInt8>) -> [UInt8]? {
    body.isEmpty ? nil : [body[0]]
  }
}
