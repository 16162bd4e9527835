import FoundationEssentials
import NyaruEngine
import TestSupport
import Testing

/// Damage stays where it hits: mutants of every file of a store, closed or killed, clear or sealed.
///
/// `NYARU_MUTANTS` is how many there are in all: three fifths are random, and the cuts at every
/// size are about as many as the rest. A failure names the file and the mutation; the argument of
/// the test is the seed.
@Suite struct StoreDamageEnumerationTests {
  static let mutantCount =
    Int(ProcessInfo.processInfo.environment["NYARU_MUTANTS"] ?? "") ?? 100_000
  private static let mutantsPerSeed = 2_500
  static let seeds = 0..<UInt64(max(1, mutantCount * 3 / 5 / mutantsPerSeed))

  static let key = SecretKey([UInt8](repeating: 7, count: SecretKey.size).span)

  /// What a seed damages.
  private func subject(_ seed: UInt64) throws -> DamageSubject {
    try DamageSubject(closed: seed % 2 == 0, key: seed % 4 < 2 ? nil : Self.key)
  }

  @Test(arguments: seeds)
  func `damage costs at most the records that it hits, and is told`(seed: UInt64) throws {
    let subject = try subject(seed)
    var random = SeededGenerator(seed: seed)
    for number in 0..<Self.mutantsPerSeed {
      let file = random.pick(subject.files)
      let size = subject.image.bytes(file)?.count ?? 0
      let mutation = StoreMutation.random(size: size, &random)
      var damaged = DamagedStore(
        subject: subject, image: mutation.apply(to: file, of: subject))
      // An older head does not know the sequences that were given out since.
      if file == "head", case .stale = mutation { damaged.exposed = Set(DamageSubject.unsyncedIDs) }
      do {
        try damaged.check(goesOn: number % 25 == 0)
      } catch {
        Issue.record("\(file), \(mutation): \(error)")
        return
      }
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `a file that is cut off at any size costs what is cut off`(seed: UInt64) throws {
    let subject = try subject(seed)
    for file in subject.files {
      for size in 0..<(subject.image.bytes(file)?.count ?? 0) {
        let image = StoreMutation.cut(size: size).apply(to: file, of: subject)
        do {
          try DamagedStore(subject: subject, image: image).check(goesOn: size % 100 == 0)
        } catch {
          Issue.record("\(file), cut to \(size): \(error)")
          break
        }
      }
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `files that are missing, older or foreign cost what was in them alone`(seed: UInt64) throws {
    let subject = try subject(seed)
    var other = TestRecords.configuration(key: subject.key)
    other.collectionID = [UInt8](repeating: 0xC1, count: 16)
    let foreignDisk = SimulatedDisk()
    let foreign = try Store.open(directory: foreignDisk.root, configuration: other)
    for id in DamageSubject.ids { try foreign.commit([TestRecords.write(id, [9], shards: 2)]) }
    try foreign.close()

    let checkpoints = subject.files.filter { $0.hasPrefix("checkpoint.") }
    let foreignName = try #require(
      foreignDisk.image.names().first { $0.hasPrefix("checkpoint.") })
    for file in subject.files {
      var missing = subject.image
      missing.remove(file)
      var stale = subject.image
      if let bytes = subject.older.bytes(file) { stale.put(bytes, at: file) }
      var strange = subject.image
      let name = file.hasPrefix("checkpoint.") ? foreignName : file
      let bytes =
        foreignDisk.image.bytes(name)
        ?? foreignDisk.image.names("shards").first.flatMap {
          foreignDisk.image.bytes("shards/" + $0)
        }
      strange.put(bytes ?? [], at: file)
      for (what, image) in [("missing", missing), ("stale", stale), ("foreign", strange)] {
        var damaged = DamagedStore(subject: subject, image: image)
        if file == "head", what == "stale" { damaged.exposed = Set(DamageSubject.unsyncedIDs) }
        do {
          try damaged.check(goesOn: true)
        } catch {
          Issue.record("\(file), \(what): \(error)")
        }
      }
    }
    // What was being written when the process ended.
    let newest = try #require(checkpoints.compactMap { Int($0.dropFirst(11)) }.max())
    let whole = subject.image.bytes("checkpoint.\(newest)") ?? []
    for size in stride(from: 0, through: whole.count, by: 16) {
      var image = subject.image
      image.put(Array(whole.prefix(size)), at: "checkpoint.\(newest + 1)")
      try DamagedStore(subject: subject, image: image).check(goesOn: size % 64 == 0)
    }
  }

  /// Slots that somebody has changed who knows the format, checksums included.
  @Test(arguments: [true, false], [nil, key])
  func `a slot that was put back, moved, renumbered or re-flagged is found`(
    closed: Bool, key: SecretKey?
  ) throws {
    let subject = try DamageSubject(closed: closed, key: key)
    for slot in subject.newest {
      let bytes = try #require(subject.image.bytes(slot.file))
      let fileID = try #require(UInt64(slot.file.suffix(16), radix: 16))
      let place = SlotPlace(fileID: fileID, offset: UInt64(slot.range.lowerBound))
      let header = try #require(Self.header(bytes, slot.range.lowerBound, fileID))
      let end = slot.range.lowerBound + SlotHeader.size + Int(header.payloadLength)
      let payload = Array(bytes[slot.range.lowerBound + SlotHeader.size..<end])

      var forgeries: [(String, SlotStamp, [UInt8])] = []
      var stamp = header.stamp
      stamp.sequence -= 1
      forgeries.append(("renumbered", stamp, payload))
      stamp = header.stamp
      stamp.flags = SlotFlags(rawValue: stamp.flags.rawValue ^ 0x10)
      forgeries.append(("a deletion or none", stamp, payload))
      stamp = header.stamp
      stamp.flags = SlotFlags(rawValue: stamp.flags.rawValue ^ 0x40)
      forgeries.append(("a group or none", stamp, payload))
      // A version from before, in the place of the newest.
      if let old = subject.slots.first(where: { $0.id == slot.id && $0.sequence < slot.sequence }),
        let then = Self.header(bytes, old.range.lowerBound, fileID)
      {
        let start = old.range.lowerBound + SlotHeader.size
        forgeries.append(
          ("rolled back", then.stamp, Array(bytes[start..<start + Int(then.payloadLength)])))
      }
      // Another record, in the place of this one.
      if let other = subject.newest.first(where: { $0.id != slot.id && $0.file == slot.file }),
        let there = Self.header(bytes, other.range.lowerBound, fileID),
        there.payloadLength <= header.capacity
      {
        let start = other.range.lowerBound + SlotHeader.size
        forgeries.append(
          ("moved", there.stamp, Array(bytes[start..<start + Int(there.payloadLength)])))
      }
      for (what, stamp, payload) in forgeries {
        // Without a key a checkpoint can vouch for sequences, and nothing for what is newer.
        guard closed || key != nil else { continue }
        var forged = bytes
        forged.replaceSubrange(
          slot.range.lowerBound + SlotHeader.size..<slot.range.lowerBound + SlotHeader.size
            + payload.count, with: payload)
        let new = SlotHeader(
          capacity: header.capacity, payloadLength: UInt32(payload.count), stamp: stamp)
        new.write(into: &forged, at: slot.range.lowerBound, place: place)
        var image = subject.image
        image.put(forged, at: slot.file)
        do {
          try DamagedStore(subject: subject, image: image).check(goesOn: false)
          let store = try subject.open(SimulatedDisk(image))
          let isFound = try store.openReport.lostState || !store.check().isSound
          let isTold = key != nil || ["renumbered", "rolled back", "moved"].contains(what)
          let isLast = !closed && slot.id == DamageSubject.lastID
          if !isFound, isTold, !isLast {
            Issue.record("\(what), record \(slot.id): nothing is found, \(store.openReport)")
          }
        } catch {
          Issue.record("\(what), record \(slot.id): \(error)")
        }
      }
    }
  }

  private static func header(_ bytes: [UInt8], _ offset: Int, _ fileID: UInt64) -> SlotHeader? {
    let part = Array(bytes[offset..<offset + SlotHeader.size])
    return SlotHeader(part.span, at: SlotPlace(fileID: fileID, offset: UInt64(offset)))
  }
}
