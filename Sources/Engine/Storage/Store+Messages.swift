/// What a store says of its own work. Shards go by their numbers, since the names of their files
/// hold values of documents.
extension Store {
  /// How the store was opened, and what was found.
  func logOpening() {
    let (report, path) = (openReport, directory.path)
    switch report.kind {
    case .created: NyaruLogger.log(.debug, "made \(path)")
    case .clean: NyaruLogger.log(.debug, "opened \(path), which was closed")
    case .recovered, .walked:
      NyaruLogger.log(
        .warning,
        "recovered \(path)" + (report.kind == .walked ? " without a checkpoint" : "")
          + ": \(report.scannedSlots) slots in \(report.scannedSize) bytes looked at, "
          + "\(report.droppedVersions) versions behind the last flush gone")
    }
    for place in report.damaged.prefix(Self.damageMessageLimit) {
      NyaruLogger.log(
        .error, "damage in \(path), \(Self.file(place)), byte \(place.offset): \(place.what)")
    }
    if report.damaged.count > Self.damageMessageLimit {
      NyaruLogger.log(.error, "\(report.damaged.count) damaged places in all in \(path)")
    }
    if report.lostState {
      NyaruLogger.log(.error, "something that was flushed is gone from \(path)")
    }
  }

  func logPoison(_ error: IOError) {
    NyaruLogger.log(
      .error,
      "\(directory.path) takes no more writes until it is opened again: \(error.operation): "
        + ErrorText.message(for: error.code))
  }

  private static let damageMessageLimit = 16

  private static func file(_ place: DamagedPlace) -> String {
    ShardName(place.file).map { "shard \(String($0.fileID, radix: 16))" } ?? place.file
  }
}
