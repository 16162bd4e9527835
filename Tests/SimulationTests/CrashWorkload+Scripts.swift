import NyaruEngine
import TestSupport

/// The histories: one for each thing that a crash could spoil, and seeded mixtures.
extension CrashWorkload {
  static let all: [CrashWorkload] = scripted + (0..<6).map { mixture(seed: $0) }

  private static let scripted: [CrashWorkload] = [
    CrashWorkload(
      name: "inserts",
      steps: [
        .insert(1, size: 10), .insert(2, size: 700), .sync, .insert(3, size: 1400),
        .insert(4, size: 5), .reopen, .insert(5, size: 40),
      ]),
    CrashWorkload(
      name: "updates that grow and shrink",
      steps: [
        .insert(1, size: 600), .insert(2, size: 30), .insert(3, size: 30), .checkpoint,
        .update(1, size: 20), .update(2, size: 900), .checkpoint, .update(3, size: 580),
        .update(1, size: 590), .sync, .update(2, size: 25), .checkpoint, .update(1, size: 10),
        .reopen, .update(1, size: 880),
      ]),
    CrashWorkload(
      name: "deletions",
      steps: [
        .insert(1, size: 100), .insert(2, size: 100), .insert(3, size: 100), .delete(2), .sync,
        .delete(1), .insert(1, size: 90), .checkpoint, .delete(3), .checkpoint, .checkpoint,
        .insert(2, size: 95), .delete(1), .reopen, .delete(2),
      ]),
    CrashWorkload(
      name: "batches over three shards",
      steps: [
        .batch([(1, 100), (2, 200), (3, 1500)]), .batch([(1, 0), (2, 700), (4, 10)]), .sync,
        .batch([(1, 60), (2, 0), (3, 0), (5, 600)]), .checkpoint,
        .batch([(6, 700), (7, 700), (8, 700), (1, 0)]), .batch([(6, 10), (4, 0), (9, 1100)]),
        .reopen, .batch([(1, 1), (2, 2), (3, 3)]),
      ]),
    CrashWorkload(
      name: "compaction",
      steps: [
        .batch((1...12).map { ($0, 300) }), .delete(3), .update(5, size: 900), .compact,
        .update(1, size: 20), .delete(2), .sync, .update(7, size: 700), .compact,
        .insert(3, size: 400), .checkpoint, .delete(3), .compact, .reopen, .compact,
      ]),
    CrashWorkload(
      name: "an index that is added",
      steps: [
        .insert(1, size: 30), .batch([(2, 20), (3, 10)]), .addIndex, .update(2, size: 500),
        .sync, .reopen, .delete(3), .checkpoint,
      ]),
    CrashWorkload(
      name: "dropped and made again",
      steps: [
        .batch([(1, 300), (2, 40), (3, 700)]), .sync, .delete(2), .recreate, .insert(2, size: 80),
        .insert(4, size: 600), .sync, .update(2, size: 900), .checkpoint, .recreate,
        .insert(1, size: 20), .reopen, .recreate, .insert(7, size: 30),
      ]),
    CrashWorkload(
      name: "compaction in steps, with writes between",
      steps: [
        .batch((1...9).map { ($0, 200) }), .batch((1...6).map { ($0, 150) }), .beginCompaction,
        .insert(10, size: 60), .stepCompaction, .update(3, size: 700), .sync, .stepCompaction,
        .delete(5), .checkpoint, .stepCompaction, .update(1, size: 30), .stepCompaction,
        .stepCompaction, .insert(5, size: 90), .sync, .beginCompaction, .stepCompaction, .reopen,
        .delete(1), .compact,
      ]),
    CrashWorkload(
      name: "snapshots that are read later",
      steps: [
        .batch((1...6).map { ($0, 250) }), .holdSnapshot, .update(1, size: 20), .delete(2),
        .checkpoint, .update(3, size: 240), .readSnapshots, .holdSnapshot, .compact,
        .insert(2, size: 230), .checkpoint, .readSnapshots, .update(4, size: 10), .sync,
        .readSnapshots, .reopen, .compact,
      ]),
    CrashWorkload(
      name: "sealed and compressed",
      steps: [
        .insert(1, size: 600), .batch([(2, 90), (3, 1200), (4, 5)]), .sync, .update(1, size: 40),
        .checkpoint, .delete(3), .update(2, size: 800), .compact, .reopen, .insert(3, size: 300),
      ],
      options: DatabaseOptions(
        compression: .gzip,
        encryptionKey: SecretKey(Array(repeating: 3, count: SecretKey.size).span))),
    CrashWorkload(
      name: "a dictionary that is found",
      steps: [
        .insert(1, size: 80), .insert(2, size: 90), .insert(3, size: 70), .insert(4, size: 60),
        .insert(5, size: 85), .update(2, size: 95), .sync, .delete(3), .insert(6, size: 75),
        .checkpoint, .update(1, size: 65), .compact, .reopen, .insert(7, size: 90),
      ],
      options: dictionaryOptions),
  ]

  private static var dictionaryOptions: DatabaseOptions {
    var options = DatabaseOptions(compression: .gzip)
    options.dictionaryTrialStart = 4
    return options
  }

  /// A random history, the same for the same seed.
  static func mixture(seed: UInt64, stepCount: Int = 28) -> CrashWorkload {
    var random = SeededGenerator(seed: seed)
    var live = Set<Int>()
    var steps: [CrashStep] = []
    for _ in 0..<stepCount {
      let id = Int.random(in: 1...10, using: &random)
      let size = Int.random(in: 1...900, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0...6:
        steps.append(live.insert(id).inserted ? .insert(id, size: size) : .update(id, size: size))
      case 7, 8:
        if live.remove(id) != nil { steps.append(.delete(id)) }
      case 9...11:
        let ids = Set((0..<4).map { _ in Int.random(in: 1...10, using: &random) })
        steps.append(.batch(ids.sorted().map { ($0, $0 % 4 == 1 ? 0 : size / $0 + 1) }))
        for id in ids { if id % 4 == 1 { live.remove(id) } else { live.insert(id) } }
      case 19:
        steps.append(.recreate)
        live = []
      case let choice:
        steps.append(
          [
            .sync, .checkpoint, .compact, .reopen, .beginCompaction, .stepCompaction, .holdSnapshot,
          ][
            choice - 12])
      }
    }
    let key = seed % 3 == 2 ? SecretKey(Array(repeating: 4, count: SecretKey.size).span) : nil
    return CrashWorkload(
      name: "mixture \(seed)", steps: steps + [.readSnapshots],
      options: DatabaseOptions(encryptionKey: key))
  }
}
