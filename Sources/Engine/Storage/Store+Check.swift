import Synchronization

/// Looking at everything.
extension Store {
  /// Reads every current version and every file's own marks, and compares them with memory.
  ///
  /// Slots that nothing needs any more are not looked at: what they hold cannot be lost.
  package func check() throws(StorageError) -> CheckReport {
    if isClosed { throw .closed }
    var report = CheckReport()
    for case let state? in shardStates {
      report.shards += 1
      report.bytes += state.length
      if try !hasHeader(state.shard) {
        report.note(
          DamagedPlace(
            file: state.shard.fileName, offset: 0, what: "the header does not read"))
      }
    }
    try checkHead(&report)
    try checkRecords(&report)
    try checkCheckpoint(&report)
    return report
  }

  private func hasHeader(_ shard: Shard) throws(StorageError) -> Bool {
    let file = try source.file(of: shard)
    let bytes: [UInt8]
    do { bytes = try file.read(ShardHeader.size, at: 0) } catch { throw .io(error) }
    guard let header = try? ShardHeader(bytes.span) else { return false }
    return header.fileID == shard.name.fileID
      && header.collectionID == configuration.collectionID
  }

  private func checkHead(_ report: inout CheckReport) throws(StorageError) {
    let contents: Head.Contents
    do {
      contents = try Head.read(head.file, collectionID: configuration.collectionID)
    } catch {
      throw .io(error)
    }
    guard !contents.isSound else { return }
    report.note(
      DamagedPlace(
        file: StoreOpening.headName,
        offset: HeadCell.offsets[contents.cell == nil ? 0 : 1 - contents.number],
        what: "a cell does not read"))
  }

  private func checkRecords(_ report: inout CheckReport) throws(StorageError) {
    let snapshot = reader.snapshot()
    var damaged: [UInt32] = []
    var (records, markers) = (0, 0)
    try snapshot.scanAll(
      includingDeleted: true, onDamage: { handle, _ in damaged.append(handle) },
      { handle, view in
        if view.isDeletion { markers += 1 } else { records += 1 }
        return true
      })
    report.records = records
    report.deletionMarkers = markers
    guard !damaged.isEmpty else { return }
    let ids = snapshot.idKeys(of: Set(damaged))
    for handle in damaged {
      guard let entry = snapshot.entry(handle) else { continue }
      report.note(
        DamagedPlace(
          file: snapshot.shards[entry.shard]?.fileName ?? "", offset: entry.offset,
          what: "version \(entry.sequence) does not read", idKey: ids[handle]))
    }
  }

  private func checkCheckpoint(_ report: inout CheckReport) throws(StorageError) {
    let name = Checkpoint.fileName(generation)
    do throws(IOError) {
      let file = try directory.openFile(name)
      do throws(CheckpointFailure) {
        try CheckpointReader.verify(
          file, generation: generation, codec: codec,
          collectionID: configuration.collectionID)
      } catch {
        if case .io(let cause) = error { throw cause }
        report.note(DamagedPlace(file: name, offset: 0, what: "the checkpoint does not read"))
      }
    } catch {
      guard error.isMissing else { throw .io(error) }
      report.note(DamagedPlace(file: name, offset: 0, what: "the checkpoint is missing"))
    }
  }
}

/// Changing the indexes.
extension Store {
  /// Builds the indexes that are new in one scan, and drops the others.
  package func replaceIndexes(
    _ indexes: [IndexDefinition], extractKeys: @escaping StoreConfiguration.KeyExtractor,
    publish: (() -> Void) -> Void = { $0() }
  ) throws(StorageError) {
    try checkWritable()
    try loadAll()
    let old = configuration.indexes
    var image = self.image
    let kept = image.indexes
    image.indexes = indexes.map { definition in
      old.firstIndex(of: definition).map { kept[$0] } ?? OrderedIndex()
    }
    let missing = indexes.indices.filter { !old.contains(indexes[$0]) }
    try build(missing, extractKeys, in: &image)
    configuration.indexes = indexes
    configuration.extractKeys = extractKeys
    publish { source.state.withLock { $0.image = image } }
    isCheckpointStale = true
    try checkpoint()
  }

  /// Fills indexes that are empty, from the records.
  func build(
    _ numbers: [Int], _ extractKeys: StoreConfiguration.KeyExtractor, in image: inout StoreImage
  ) throws(StorageError) {
    guard !numbers.isEmpty else { return }
    var pairs = [[OrderedIndex.Pair]](repeating: [], count: numbers.count)
    try reader.snapshot().scanAll(onDamage: { _, _ in }) { handle, view in
      let keys = extractKeys(view.payload, view.layout)
      for (place, number) in numbers.enumerated() where number < keys.count {
        if let key = keys[number] { pairs[place].append(OrderedIndex.Pair(key, handle)) }
      }
      return true
    }
    for (place, number) in numbers.enumerated() {
      pairs[place].sort { $0.isBefore($1) }
      image.indexes[number] = OrderedIndex(sorted: pairs[place])
      pairs[place] = []
    }
  }
}

extension CheckReport {
  fileprivate mutating func note(_ place: DamagedPlace) {
    if damaged.count < StorageLimits.damageCount { damaged.append(place) }
  }
}
