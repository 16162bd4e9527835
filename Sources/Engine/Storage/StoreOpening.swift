/// Opens a store: finds out what is there, and makes a store of it.
///
/// Nothing is written before everything has been read, so a crash while opening changes nothing
/// that the next attempt has to know.
struct StoreOpening {
  static let headName = "head"
  static let shardsName = "shards"
  static let quarantineName = "quarantine"

  let directory: any Directory
  let configuration: StoreConfiguration

  init(directory: any Directory, configuration: StoreConfiguration) {
    self.directory = directory
    self.configuration = configuration
  }

  func open() throws(StorageError) -> Store {
    var ignored: Set<UInt64> = []
    while true {
      let outcome: Outcome
      do throws(IOError) { outcome = try attempt(ignoring: ignored) } catch { throw .io(error) }
      switch outcome {
      case .opened(let store): return store
      case .lockedOut: throw .sealing(.authenticationFailed)
      case .unreadable(let generation): ignored.insert(generation)
      }
    }
  }

  enum Outcome {
    case opened(Store)

    /// Nothing opens with the key.
    case lockedOut

    /// A part of the checkpoint does not read, so it does not count.
    case unreadable(UInt64)
  }

  private func attempt(ignoring generations: Set<UInt64>) throws(IOError) -> Outcome {
    let names = try directory.names()
    let shardDirectory = try openShards(names)
    let headFile =
      try names.contains(Self.headName)
      ? directory.openFile(Self.headName) : directory.createFile(Self.headName)
    let contents = try Head.read(headFile, collectionID: configuration.collectionID)
    let head = Head(
      file: headFile, collectionID: configuration.collectionID, contents: contents)
    var survey = StoreSurvey(
      configuration: configuration, shardDirectory: shardDirectory, contents: contents)
    try loadCheckpoint(names, ignoring: generations, into: &survey)
    let files = try shardDirectory.names().compactMap { ShardName($0) }
    if contents.cell == nil, files.isEmpty, survey.hasNothing {
      return .opened(try create(head, names, shardDirectory))
    }
    try survey.read(files)
    if survey.isLockedOut { return .lockedOut }
    return try makeStore(survey, head, shardDirectory)
  }
}
