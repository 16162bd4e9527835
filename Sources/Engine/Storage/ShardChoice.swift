/// Which shard files belong to the collection: a choice, without any I/O.
///
/// With a checkpoint these are the files that it names, and those created since. Without one it
/// is, of the files of each partition, the one that joined the collection last.
package struct ShardChoice: Equatable {
  /// A file in the directory of the shards.
  package struct Candidate: Equatable {
    package var name: ShardName

    /// `nil` if it does not read.
    package var header: ShardHeader?

    package init(name: ShardName, header: ShardHeader?) {
      self.name = name
      self.header = header
    }
  }

  package private(set) var live: [ShardName] = []
  package private(set) var dead: [ShardName] = []

  /// With a checkpoint of the generation.
  package init(_ candidates: [Candidate], named: Set<ShardName>, generation: UInt64) {
    for candidate in candidates {
      let isLive: Bool
      if named.contains(candidate.name) {
        isLive = true
      } else if candidate.name.isCompacted {
        // A compaction that no checkpoint names did not happen.
        isLive = false
      } else {
        isLive = candidate.header.map { $0.born == generation } ?? true
      }
      if isLive { live.append(candidate.name) } else { dead.append(candidate.name) }
    }
  }

  /// Without a checkpoint: what was to join with a later generation than this does not count.
  package init(_ candidates: [Candidate], limit: UInt64) {
    for files in Dictionary(grouping: candidates, by: \.name.partition).values {
      let born = files.compactMap { $0.header?.born }.filter { $0 <= limit }.max()
      let hasFresh = files.contains { $0.header == nil && !$0.name.isCompacted }
      for file in files {
        let isLive: Bool
        if let born {
          isLive = file.header?.born == born
        } else {
          // No header reads: a file that a compaction was writing comes last.
          isLive = file.header == nil && (!file.name.isCompacted || !hasFresh)
        }
        if isLive { live.append(file.name) } else { dead.append(file.name) }
      }
    }
    live.sort { $0.fileName < $1.fileName }
    dead.sort { $0.fileName < $1.fileName }
  }

  /// The dead files whose successors are live.
  func replaced(_ candidates: [Candidate]) -> Set<ShardName> {
    let live = Set(live)
    let fileIDs = Set(
      candidates.compactMap { live.contains($0.name) ? $0.header?.replaces : nil })
    return Set(dead.filter { fileIDs.contains($0.fileID) })
  }
}
