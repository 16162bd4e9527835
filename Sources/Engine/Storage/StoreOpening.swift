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
    let opened: Store?
    do throws(IOError) { opened = try openIfUnlocked() } catch { throw .io(error) }
    guard let opened else { throw .sealing(.authenticationFailed) }
    return opened
  }

  /// - Returns: `nil` if nothing opens with the key.
  private func openIfUnlocked() throws(IOError) -> Store? {
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
    try loadCheckpoint(names, into: &survey)
    let files = try shardDirectory.names().compactMap { ShardName($0) }
    if contents.cell == nil, files.isEmpty, survey.hasNothing {
      return try create(head, names, shardDirectory)
    }
    try survey.read(files)
    if survey.isLockedOut { return nil }
    return try makeStore(survey, head, shardDirectory)
  }
}
