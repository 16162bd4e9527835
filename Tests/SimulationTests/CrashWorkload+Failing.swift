import NyaruEngine

/// Short histories in which every call can fail.
extension CrashWorkload {
  static let failing: [CrashWorkload] = [
    failing("inserts", [.insert(1, size: 10), .insert(2, size: 700), .sync, .insert(3, size: 40)]),
    failing(
      "updates",
      [
        .batch([(1, 600), (2, 30)]), .checkpoint, .update(1, size: 20), .update(2, size: 900),
        .checkpoint, .update(1, size: 580),
      ]),
    failing(
      "deletions",
      [.batch([(1, 90), (2, 90)]), .delete(2), .checkpoint, .delete(1), .insert(2, size: 80)]),
    failing(
      "batches",
      [
        .batch([(1, 100), (2, 200), (3, 1500)]), .sync, .batch([(1, 0), (2, 700), (4, 10)]),
        .batch([(1, 50), (3, 0)]), .sync,
      ]),
    failing(
      "drop", [.batch([(1, 100), (2, 50)]), .recreate, .insert(1, size: 70), .sync, .recreate]),
    failing(
      "drop, closed and opened",
      [.insert(1, size: 100), .reopen, .recreate, .reopen, .insert(2, size: 70), .reopen]),
    failing(
      "an index",
      [.batch([(1, 30), (2, 40)]), .addIndex, .update(1, size: 35), .sync, .insert(3, size: 9)]),
    failing(
      "an index, after a checkpoint",
      [
        .batch([(1, 30), (2, 40)]), .checkpoint, .delete(1), .addIndex, .reopen,
        .update(2, size: 5),
      ]),
    failing(
      "sealed and compressed",
      [
        .batch([(1, 600), (2, 40)]), .sync, .update(1, size: 700), .checkpoint, .reopen, .delete(1),
      ],
      DatabaseOptions(
        compression: .gzip,
        encryptionKey: SecretKey(Array(repeating: 3, count: SecretKey.size).span))),
    failing(
      "compaction with writes between",
      [
        .batch((1...6).map { ($0, 150) }), .batch([(1, 20), (2, 0), (3, 300)]), .beginCompaction,
        .stepCompaction, .update(4, size: 90), .stepCompaction, .sync, .stepCompaction, .delete(5),
        .stepCompaction, .stepCompaction, .insert(9, size: 10),
      ]),
    failing(
      "snapshots",
      [
        .batch([(1, 90), (2, 90), (3, 90)]), .holdSnapshot, .update(1, size: 30), .delete(2),
        .checkpoint, .compact, .readSnapshots, .insert(2, size: 80),
      ]),
    failing(
      "durable writes", [.insert(1, size: 9), .batch([(2, 80), (3, 9)]), .delete(2)],
      DatabaseOptions(autoSync: .everyWrite)),
  ]

  private static func failing(
    _ name: String, _ steps: [CrashStep], _ options: DatabaseOptions = DatabaseOptions()
  ) -> CrashWorkload {
    CrashWorkload(name: name, steps: steps, options: options)
  }
}
