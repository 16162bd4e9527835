import Synchronization

/// Shards and their files.
extension Store {
  /// The number of the shard that takes what has this key; created if there is none.
  func shardNumber(_ key: String) throws(StorageError) -> Int {
    if let known = shardNumbers.number(of: key) { return known }
    let partition = source.partition(key)
    let number: Int
    if let known = partitions[partition] {
      number = known
    } else {
      number = try createShard(partition)
    }
    shardNumbers.note(number, of: key)
    return number
  }

  /// Creates a shard of which the current checkpoint knows nothing.
  private func createShard(_ partition: String) throws(StorageError) -> Int {
    guard partitions.count < StorageLimits.shardCount else {
      throw .limit(name: "shardCount", limit: UInt64(StorageLimits.shardCount))
    }
    let (shard, file) = try createFile(partition, isCompacted: false)
    let header = ShardHeader(
      fileID: shard.name.fileID, collectionID: configuration.collectionID, born: generation)
    hasFreshNames = true
    dirty[shard.number] = file
    try poisoning { () throws(IOError) in try file.write(header.encode().span, at: 0) }
    adopt(ShardState(shard: shard, length: UInt64(ShardHeader.size)))
    source.state.withLock { state in
      state.files.insert(file, shard.number)
      state.statistics.size += UInt64(ShardHeader.size)
    }
    partitions[partition] = shard.number
    return shard.number
  }

  /// Creates the file of a shard under a free number, without a header.
  func createFile(
    _ partition: String, isCompacted: Bool
  ) throws(StorageError) -> (Shard, any File) {
    guard let number = freeNumbers.popLast() ?? nextNumber else {
      throw .limit(name: "shardCount", limit: UInt64(RecordEntry.shardLimit))
    }
    let fileID = ShardName.fileID(configuration.makeFileID(), isCompacted: isCompacted)
    let name = ShardName(partition: partition, fileID: fileID)
    // The number is taken from here on, whatever happens.
    while shardStates.count <= number { shardStates.append(nil) }
    let file: any File
    do throws(IOError) {
      file = try shardDirectory.createFile(name.fileName)
    } catch  where error.isOutOfDescriptors {
      try releaseFiles()
      do { file = try shardDirectory.createFile(name.fileName) } catch { throw .io(error) }
    } catch {
      throw .io(error)
    }
    return (Shard(number: number, name: name), file)
  }

  private var nextNumber: Int? {
    shardStates.count < RecordEntry.shardLimit ? shardStates.count : nil
  }

  /// Enters the shard under its number, for the writer and for readers.
  func adopt(_ shardState: ShardState) {
    let number = shardState.shard.number
    while shardStates.count <= number { shardStates.append(nil) }
    shardStates[number] = shardState
    source.state.withLock { state in
      while state.shards.count <= number { state.shards.append(nil) }
      state.shards[number] = shardState.shard
    }
  }

  /// The shard's file, noted as dirty: the caller is about to write.
  func writableFile(_ number: Int) throws(StorageError) -> any File {
    if let file = dirty[number] { return file }
    guard let shard = shardStates[number]?.shard else { throw .closed }
    if dirty.count >= max(1, configuration.openFileLimit / 2) { try cleanOne() }
    let file: any File
    do throws(StorageError) {
      file = try source.file(of: shard)
    } catch {
      guard case .io(let cause) = error, cause.isOutOfDescriptors else { throw error }
      try releaseFiles()
      file = try source.file(of: shard)
    }
    dirty[number] = file
    return file
  }

  /// The files with writes that are not durable, in an order that a test can repeat.
  var dirtyFiles: [any File] { dirty.sorted { $0.key < $1.key }.map(\.value) }

  /// Syncs a dirty file, so that it may be closed.
  private func cleanOne() throws(StorageError) {
    guard let number = dirty.keys.min(), let file = dirty[number] else { return }
    try poisoning { () throws(IOError) in try file.sync() }
    dirty[number] = nil
  }

  /// Lets go of all descriptors that can be spared.
  private func releaseFiles() throws(StorageError) {
    try poisoning { () throws(IOError) in
      for file in dirtyFiles { try file.sync() }
    }
    dirty = [:]
    source.state.withLock { $0.files.removeAll() }
  }

  /// A file of this size takes long to be closed once it has no name.
  private static let largeFileSize: UInt64 = 8 << 20

  /// Unlinks the replaced files that no snapshot needs any more.
  func removeZombies() {
    guard !zombies.isEmpty, poison == nil else { return }
    zombies.removeAll { zombie in
      let isNeeded = source.state.withLock { $0.pins.contains(in: zombie.pins) }
      return !isNeeded && unlink(zombie)
    }
  }

  /// - Returns: Whether the file is gone. If not, the next open removes it.
  private func unlink(_ zombie: ReplacedShard) -> Bool {
    let shard = zombie.shard
    do throws(IOError) {
      try shardDirectory.unlink(shard.fileName)
    } catch {
      guard error.isMissing else { return false }
    }
    shardStates[shard.number] = nil
    freeNumbers.append(shard.number)
    let file = source.state.withLock { state in
      defer {
        state.files.remove(shard.number)
        state.shards[shard.number] = nil
      }
      return state.files.file(shard.number)
    }
    if let file, zombie.size >= Self.largeFileSize { LateRelease.of(file) }
    return true
  }
}
