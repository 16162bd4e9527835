import NyaruEngine
import TestSupport
import Testing

/// Something that a writer does, and what the collection holds afterwards.
struct WriterScript: Sendable, CustomTestStringConvertible {
  typealias Contents = [Int: Item]

  let testDescription: String
  let run: @Sendable (NyaruDB, NyaruCollection<Item>) async throws -> Void
  let apply: @Sendable (inout Contents) -> Void

  init(
    _ name: String, _ apply: @escaping @Sendable (inout Contents) -> Void = { _ in },
    run: @escaping @Sendable (NyaruDB, NyaruCollection<Item>) async throws -> Void
  ) {
    testDescription = name
    self.run = run
    self.apply = apply
  }

  static let writes: [WriterScript] = [
    WriterScript("an insert", { $0[100] = Item(100, 7) }) { try await $1.insert(Item(100, 7)) },
    WriterScript("inserts", { for id in 100..<110 { $0[id] = Item(id, 7) } }) {
      try await $1.insert(contentsOf: (100..<110).map { Item($0, 7) })
    },
    WriterScript("an update", { $0[3] = Item(3, 7, size: 300) }) {
      try await $1.update(Item(3, 7, size: 300))
    },
    WriterScript("an upsert", { $0[4] = Item(4, 8) }) { try await $1.upsert(Item(4, 8)) },
    WriterScript("upserts", { for id in 8..<40 { $0[id] = Item(id, 9, size: id) } }) {
      try await $1.upsert(contentsOf: (8..<40).map { Item($0, 9, size: $0) })
    },
    WriterScript("a patch", { $0[5]?.number = 70 }) {
      try await $1.patch(id: 5, changes: ["number": 70])
    },
    WriterScript("a deletion", { $0[6] = nil }) { try await $1.delete(id: 6) },
    WriterScript("deletions", { for id in 6..<12 { $0[id] = nil } }) {
      try await $1.delete(ids: 6..<12)
    },
    WriterScript("a query's deletions", { $0 = $0.filter { $0.value.number < 12 } }) {
      try await $1.find().where("number", isGreaterThanOrEqualTo: 12).delete()
    },
    WriterScript(
      "a batch over all shards",
      { contents in
        for id in 0..<20 { contents[id] = id % 4 == 0 ? nil : Item(id, 5, size: 80) }
      },
      run: { _, items in
        try await items.writeBatch { batch in
          for id in 0..<20 {
            if id % 4 == 0 { batch.delete(id: id) } else { batch.upsert(Item(id, 5, size: 80)) }
          }
        }
      }),
  ]

  static let upkeep: [WriterScript] = [
    WriterScript("a sync") { try await $1.sync() },
    WriterScript("a checkpoint") { try await $1.core.checkpoint() },
    WriterScript("a compaction") { try await $1.compact() },
    WriterScript("another index") { database, _ in
      let options = CollectionOptions(partitionKey: "group", indexedFields: ["text"])
      _ = try await database.collection("items", of: Item.self, options: options)
    },
    WriterScript("an index less") { database, _ in
      let options = CollectionOptions(partitionKey: "group")
      _ = try await database.collection("items", of: Item.self, options: options)
    },
  ]
}

/// A database with garbage in all its shards, behind a gate, and what it holds.
struct GatedWorld {
  let disk = SimulatedDisk()
  let gate = CallGate()
  let database: NyaruDB
  let items: NyaruCollection<Item>
  let contents: WriterScript.Contents

  /// With `isReopened`, nothing of the collection is in memory yet.
  init(_ autoSync: DatabaseOptions.AutoSync = .off, isReopened: Bool = false) async throws {
    let directory = GatedDirectory(disk.root, gate: gate)
    let options = DatabaseOptions(autoSync: autoSync)
    var database = try NyaruDB(directory: directory, options: options, bootID: disk.bootID)
    var items = try await database.collection("items", of: Item.self, options: Item.options)
    var contents: WriterScript.Contents = [:]
    for id in 0..<24 {
      contents[id] = Item(id, id)
      try await items.insert(Item(id, 99, size: 60))
    }
    try await items.core.checkpoint()
    try await items.upsert(contentsOf: contents.values.byID)
    if isReopened {
      try await items.core.checkpoint()
      try await database.close()
      database = try NyaruDB(directory: directory, options: options, bootID: disk.bootID)
      items = try await database.collection("items", of: Item.self)
    }
    (self.database, self.items, self.contents) = (database, items, contents)
  }

  /// Opens what the disk holds, as after a kill.
  func reopened() async throws -> (database: NyaruDB, items: NyaruCollection<Item>) {
    let copy = SimulatedDisk(disk.image)
    let database = try NyaruDB(directory: copy.root, bootID: copy.bootID)
    return (database, try await database.collection("items", of: Item.self))
  }
}
