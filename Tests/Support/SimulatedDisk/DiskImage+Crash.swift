extension DiskImage {
  /// The disk after a crash, `event` being the call that was under way.
  package func crashed(
    _ survival: Survival, during event: DiskEvent? = nil, _ random: inout SeededGenerator
  ) -> DiskImage {
    var image = self
    switch survival {
    case .kill:
      if let event { image.begin(event, &random) }
      return image
    case .prefix:
      if let event, !event.isSync { image.apply(event) }
      image.persistPrefix(&random)
    case .subset:
      if let event, !event.isSync { image.apply(event) }
      image.persistSubset(&random)
    }
    return image.restarted()
  }

  /// A killed process has made the call, or has not, or has written a part.
  private mutating func begin(_ event: DiskEvent, _ random: inout SeededGenerator) {
    guard Bool.random(using: &random) else { return }
    guard case .write(let file, let offset, let bytes) = event, Bool.random(using: &random) else {
      return apply(event)
    }
    let count = tear(bytes.count, at: offset, &random)
    if count > 0 { apply(.write(file: file, offset: offset, bytes: Array(bytes[..<count]))) }
  }

  private mutating func persistPrefix(_ random: inout SeededGenerator) {
    let changes = pending.prefix(Int.random(in: 0...pending.count, using: &random))
    for (index, change) in changes.enumerated() {
      if index == changes.count - 1, case .write(let file, let offset, let bytes) = change,
        Bool.random(using: &random)
      {
        let count = tear(bytes.count, at: offset, &random)
        persist(bytes[..<count], at: offset, of: file)
      } else {
        persist(change)
      }
    }
  }

  private mutating func persistSubset(_ random: inout SeededGenerator) {
    // Halves find other bugs than nearly all and nearly none.
    let chance = random.pick([10, 50, 50, 90])
    func isKept(_ random: inout SeededGenerator) -> Bool {
      Int.random(in: 0..<100, using: &random) < chance
    }
    for change in pending {
      guard case .write(let file, let offset, let bytes) = change else {
        if isKept(&random) { persist(change) }
        continue
      }
      // A file system may have journalled the size and not written the data.
      if Int.random(in: 0..<4, using: &random) == 0 {
        persistSize(atLeast: offset + bytes.count, of: file)
      }
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, nextBorder(offset + start) - offset)
        if isKept(&random) { persist(bytes[start..<end], at: offset + start, of: file) }
        start = end
      }
    }
  }

  /// How many of the bytes are written when only whole sectors are.
  private func tear(_ count: Int, at offset: Int, _ random: inout SeededGenerator) -> Int {
    let first = min(count, nextBorder(offset) - offset)
    guard first < count else { return Bool.random(using: &random) ? count : 0 }
    let sectors = (count - first + Self.sectorSize - 1) / Self.sectorSize
    let kept = Int.random(in: -1..<sectors, using: &random)
    return kept < 0 ? 0 : first + kept * Self.sectorSize
  }

  private func nextBorder(_ offset: Int) -> Int {
    (offset / Self.sectorSize + 1) * Self.sectorSize
  }

  /// What a machine finds when it starts again: durable bytes under durable names.
  private func restarted() -> DiskImage {
    var fresh: [Node] = []
    var moved: [Int: Int] = [:]
    var queue = [Self.root]
    moved[Self.root] = 0
    var next = 0
    while next < queue.count {
      let old = nodes[queue[next]]
      next += 1
      guard old.names != nil else {
        fresh.append(
          Node(identity: old.identity, bytes: old.durableBytes, durableBytes: old.durableBytes))
        continue
      }
      var names: [String: Int] = [:]
      for (name, node) in old.durableNames.sorted(by: { $0.value < $1.value }) {
        if moved[node] == nil {
          moved[node] = queue.count
          queue.append(node)
        }
        names[name] = moved[node]
      }
      fresh.append(Node(identity: old.identity, names: names, durableNames: names))
    }
    return restarted(with: fresh)
  }
}

extension DiskEvent {
  /// Whether the call only makes durable what is there.
  var isSync: Bool {
    switch self {
    case .syncFile, .syncDirectory, .failSync, .failure: true
    default: false
    }
  }
}
