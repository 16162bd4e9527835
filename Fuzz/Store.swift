import NyaruEngine
import TestSupport

/// A store that was checkpointed, written to again and killed, and what it held then.
private let image = makeImage()
private let versions: [Int: Set<[UInt8]>] = [
  1: [[1], [11, 12]], 2: [[2]], 3: [[UInt8](repeating: 3, count: 700)], 4: [[4, 4], [44]],
  5: [[5]], 6: [[6, 6, 6]], 7: [[]], 8: [[8]],
]

private func makeImage() -> DiskImage {
  let disk = SimulatedDisk()
  let store = try? Store.open(directory: disk.root, configuration: TestRecords.configuration())
  guard let store else { preconditionFailure("an empty disk does not open") }
  let batches: [[RecordWrite]] = [
    [1, 2, 3].map { TestRecords.write($0, $0 == 3 ? versions3 : [UInt8($0)]) },
    [TestRecords.write(4, [4, 4])], [TestRecords.write(5, [5])],
    [TestRecords.write(1, [11, 12])],
    [TestRecords.write(6, [6, 6, 6]), TestRecords.write(7, []), TestRecords.deletion(5)],
    [TestRecords.write(4, [44])], [TestRecords.write(8, [8])],
  ]
  for (index, batch) in batches.enumerated() {
    guard (try? store.commit(batch)) != nil, (try? store.sync()) != nil else {
      preconditionFailure("the disk refuses a write")
    }
    if index == 3 { try? store.checkpoint() }
  }
  return disk.image
}

private let versions3 = [UInt8](repeating: 3, count: 700)

/// Files of the image, in an order that stays.
private let paths =
  image.names().filter { image.bytes($0)?.isEmpty == false && $0 != "shards" }.sorted()
  + image.names("shards").map { "shards/" + $0 }.sorted()

/// Damage of up to sixteen bytes: opening throws or finds versions that were written, and no
/// other; opening again finds the same.
func fuzzStore(_ input: [UInt8]) {
  guard input.count >= 4 else { return }
  var damaged = image
  for place in stride(from: 0, through: min(input.count, 64) - 4, by: 4) {
    let path = paths[Int(input[place]) % paths.count]
    let offset = Int(input[place + 1]) << 8 | Int(input[place + 2])
    damaged.damage(path, at: offset) { $0 ^ input[place + 3] }
  }
  let disk = SimulatedDisk(damaged)
  guard let first = contents(disk) else { return }
  for (id, body) in first {
    precondition(versions[id]?.contains(body) == true, "a version that nobody wrote")
  }
  if input.count < 8 { precondition(first.count >= 6, "one byte cost more than one record") }
  precondition(contents(disk) == first, "another state after reopening")
}

private func contents(_ disk: SimulatedDisk) -> [Int: [UInt8]]? {
  let configuration = TestRecords.configuration(bootID: disk.bootID)
  guard let store = try? Store.open(directory: disk.root, configuration: configuration) else {
    return nil
  }
  _ = try? store.check()
  let found = try? TestRecords.contents(of: store.reader.snapshot()).records
  return found
}
