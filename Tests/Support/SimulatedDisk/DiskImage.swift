/// The content of a simulated disk: what processes see, and what a power cut would leave.
///
/// A value: a copy is the disk at that moment, from which any number of crashes can be tried.
package struct DiskImage: Sendable {
  static let sectorSize = 512
  static let root = 0

  /// A file or directory, by its place in ``nodes``, which is its inode number.
  struct Node: Sendable {
    /// Tells the file from all others, also after a restart.
    var identity: Int

    /// What reading returns.
    var bytes: [UInt8] = []

    /// What is on the disk.
    var durableBytes: [UInt8] = []

    /// Names and nodes, in a directory.
    var names: [String: Int]?
    var durableNames: [String: Int] = [:]
  }

  /// A change that processes see and no sync has vouched for.
  enum Change: Sendable {
    case write(file: Int, offset: Int, bytes: [UInt8])
    case size(file: Int, size: Int)
    case name(directory: Int, name: String, node: Int?)
    case rename(directory: Int, from: String, to: String, node: Int)

    var file: Int? {
      switch self {
      case .write(let file, _, _), .size(let file, _): file
      case .name, .rename: nil
      }
    }

    var directory: Int? {
      switch self {
      case .write, .size: nil
      case .name(let directory, _, _), .rename(let directory, _, _, _): directory
      }
    }
  }

  /// Changes with every power cut.
  package private(set) var bootID: UInt64

  private(set) var nodes: [Node]
  private(set) var pending: [Change] = []
  private var nextIdentity: Int

  /// An empty disk.
  package init() {
    self.init(bootID: 1, nextIdentity: 1, nodes: [Node(identity: 0, names: [:])])
  }

  private init(bootID: UInt64, nextIdentity: Int, nodes: [Node]) {
    self.bootID = bootID
    self.nextIdentity = nextIdentity
    self.nodes = nodes
  }

  /// How many changes a power cut could undo.
  package var pendingCount: Int { pending.count }

  /// Does to the image what the call did to the disk.
  package mutating func apply(_ event: DiskEvent) {
    switch event {
    case .createFile(let directory, let name):
      link(nil, directory, name)
    case .createDirectory(let directory, let name):
      link([:], directory, name)
    case .rename(let directory, let from, let to):
      guard let node = nodes[directory].names?.removeValue(forKey: from) else { return }
      nodes[directory].names?[to] = node
      pending.append(.rename(directory: directory, from: from, to: to, node: node))
    case .unlink(let directory, let name):
      nodes[directory].names?[name] = nil
      pending.append(.name(directory: directory, name: name, node: nil))
    case .write(let file, let offset, let bytes):
      nodes[file].bytes.put(bytes[...], at: offset)
      pending.append(.write(file: file, offset: offset, bytes: bytes))
    case .truncate(let file, let size):
      nodes[file].bytes.resize(to: size)
      pending.append(.size(file: file, size: size))
    case .syncFile(let file):
      sync(file) { _ in true }
    case .failSync(let file, let seed):
      var random = SeededGenerator(seed: seed)
      sync(file) { _ in Int.random(in: 0..<10, using: &random) < 3 }
    case .syncDirectory(let directory):
      nodes[directory].durableNames = nodes[directory].names ?? [:]
      pending.removeAll { $0.directory == directory }
    case .failure:
      break
    }
  }

  /// Makes the change durable, whether or not it is pending.
  mutating func persist(_ change: Change) {
    switch change {
    case .write(let file, let offset, let bytes):
      nodes[file].durableBytes.put(bytes[...], at: offset)
    case .size(let file, let size):
      nodes[file].durableBytes.resize(to: size)
    case .name(let directory, let name, let node):
      nodes[directory].durableNames[name] = node
    case .rename(let directory, let from, let to, let node):
      nodes[directory].durableNames[from] = nil
      nodes[directory].durableNames[to] = node
    }
  }

  /// Makes a part of a written file durable: bytes, or only the size that they brought.
  mutating func persist(_ bytes: ArraySlice<UInt8>, at offset: Int, of file: Int) {
    nodes[file].durableBytes.put(bytes, at: offset)
  }

  mutating func persistSize(atLeast size: Int, of file: Int) {
    if nodes[file].durableBytes.count < size { nodes[file].durableBytes.resize(to: size) }
  }

  /// Changes bytes on the disk and in memory, as decay or an attacker would.
  package mutating func damage(_ path: String, at offset: Int, _ change: (UInt8) -> UInt8) {
    guard let file = node(path), offset < nodes[file].bytes.count else { return }
    nodes[file].bytes[offset] = change(nodes[file].bytes[offset])
    guard offset < nodes[file].durableBytes.count else { return }
    nodes[file].durableBytes[offset] = nodes[file].bytes[offset]
  }

  /// Gives a file other bytes, on the disk and in memory, or makes one in a directory that exists.
  package mutating func put(_ bytes: [UInt8], at path: String) {
    if let file = node(path) {
      nodes[file].bytes = bytes
      nodes[file].durableBytes = bytes
      return
    }
    var components = path.split(separator: "/").map(String.init)
    guard let name = components.popLast(),
      let directory = node(components.joined(separator: "/"))
    else { return }
    nodes.append(Node(identity: nextIdentity, bytes: bytes, durableBytes: bytes))
    nextIdentity += 1
    let number = nodes.count - 1
    nodes[directory].names?[name] = number
    nodes[directory].durableNames[name] = number
  }

  /// Removes a file from the disk and from memory.
  package mutating func remove(_ path: String) {
    var components = path.split(separator: "/").map(String.init)
    guard let name = components.popLast(),
      let directory = node(components.joined(separator: "/"))
    else { return }
    nodes[directory].names?[name] = nil
    nodes[directory].durableNames[name] = nil
    pending.removeAll { change in
      if case .name(directory, name, _) = change { return true }
      if case .rename(directory, _, name, _) = change { return true }
      return false
    }
  }

  /// What a process reads from the file now.
  package func bytes(_ path: String) -> [UInt8]? { node(path).map { nodes[$0].bytes } }

  /// The names that a process sees in the directory.
  package func names(_ path: String = "") -> [String] {
    node(path).map { Array((nodes[$0].names ?? [:]).keys) } ?? []
  }

  func node(_ path: String) -> Int? {
    var node = Self.root
    for name in path.split(separator: "/") {
      guard let next = nodes[node].names?[String(name)] else { return nil }
      node = next
    }
    return node
  }

  /// The machine has started again, with these files and directories.
  func restarted(with nodes: [Node]) -> DiskImage {
    DiskImage(bootID: bootID + 1, nextIdentity: nextIdentity, nodes: nodes)
  }

  private mutating func link(_ names: [String: Int]?, _ directory: Int, _ name: String) {
    nodes.append(Node(identity: nextIdentity, names: names))
    nextIdentity += 1
    let number = nodes.count - 1
    nodes[directory].names?[name] = number
    pending.append(.name(directory: directory, name: name, node: number))
  }

  private mutating func sync(_ file: Int, _ reachesDisk: (Change) -> Bool) {
    var rest: [Change] = []
    rest.reserveCapacity(pending.count)
    for change in pending {
      if change.file != file {
        rest.append(change)
      } else if reachesDisk(change) {
        persist(change)
      }
    }
    pending = rest
  }
}

extension [UInt8] {
  /// Overwrites and appends, with zeros in between.
  mutating func put(_ source: ArraySlice<UInt8>, at offset: Int) {
    if count < offset + source.count { resize(to: offset + source.count) }
    guard !source.isEmpty else { return }
    // Both buffers hold what the lines above have made sure of. A test in a debug build would
    // wait for a loop.
    unsafe withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { source in
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
      }
    }
  }

  mutating func resize(to size: Int) {
    if size < count {
      removeSubrange(size...)
    } else {
      append(contentsOf: [UInt8](repeating: 0, count: size - count))
    }
  }
}
