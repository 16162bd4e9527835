package import NyaruEngine

/// The folder `sync/` of a database: what it remembers of its peers.
///
///     LOCK                   held while a sync runs
///     peer.<number>          a ``PeerCheckpoint``; the number is what slots name as their source
///     reidentify             a ``PendingReidentification`` that has not ended
///     quarantine.<number>.<collection tag>.<digest>   an envelope that does not open
///
/// Each file is replaced whole. One that is missing or damaged costs a comparison of both sides,
/// and no data.
package struct SyncDirectory: Sendable {
  static let lockName = "LOCK"
  static let peerPrefix = "peer."
  static let pendingName = "reidentify"
  static let quarantinePrefix = "quarantine."

  private let directory: any Directory

  package init(_ directory: any Directory) { self.directory = directory }

  /// Keeps other syncs of this database out until the result goes.
  package func lock() throws(LockFailure) -> any DirectoryLock {
    try directory.lock(Self.lockName)
  }

  /// The peers by their local numbers; damaged files are left out.
  package func peers() throws(IOError) -> [UInt32: PeerCheckpoint] {
    var peers: [UInt32: PeerCheckpoint] = [:]
    for (number, name) in try peerFiles() {
      let bytes = try read(name)
      // A damaged checkpoint is as good as none: the sides are compared.
      peers[number] = try? PeerCheckpoint(decoding: bytes)
    }
    return peers
  }

  /// A number for a new peer, drawn so that it is not that of a peer whose file was lost.
  ///
  /// Slots name it as their source; small numbers take two bytes there.
  package func unusedNumber() throws(IOError) -> UInt32 {
    let used = Set(try peerFiles().map(\.number))
    while true {
      let number = UInt32.random(in: used.count < 8000 ? 128..<16_384 : 16_384..<(1 << 28))
      if !used.contains(number) { return number }
    }
  }

  /// Durable when the call returns.
  package func save(_ checkpoint: PeerCheckpoint, number: UInt32) throws(IOError) {
    try directory.replaceFile("\(Self.peerPrefix)\(number)", with: checkpoint.encoded())
  }

  package var hasPeers: Bool {
    get throws(IOError) { try !peerFiles().isEmpty }
  }

  package func pendingReidentification() throws(IOError) -> PendingReidentification? {
    guard try directory.names().contains(Self.pendingName) else { return nil }
    let bytes = try read(Self.pendingName)
    // Without its bounds, everything is authored again, which is always right.
    return (try? PendingReidentification(decoding: bytes)) ?? PendingReidentification(bounds: [:])
  }

  package func save(_ pending: PendingReidentification) throws(IOError) {
    try directory.replaceFile(Self.pendingName, with: pending.encoded())
  }

  package func removePendingReidentification() throws(IOError) {
    try directory.unlink(Self.pendingName)
    try directory.sync()
  }

  func read(_ name: String) throws(IOError) -> [UInt8] {
    let file = try directory.openFile(name)
    let size = try file.size()
    guard size <= UInt64(ManifestFrame.sizeLimit) else { return [] }
    return try file.read(Int(size), at: 0)
  }

  private func peerFiles() throws(IOError) -> [(number: UInt32, name: String)] {
    var files: [(number: UInt32, name: String)] = []
    for name in try directory.names() where name.hasPrefix(Self.peerPrefix) {
      guard let number = UInt32(name.dropFirst(Self.peerPrefix.count)) else { continue }
      files.append((number, name))
    }
    return files
  }
}

/// Envelopes that did not open.
extension SyncDirectory {
  /// How many a peer may leave here, so that none can fill the disk.
  package static let quarantineLimit = 10_000

  /// The name of an envelope's file: the same envelope has one.
  private func name(of envelope: [UInt8], peer: UInt32, collection: CollectionTag) -> String {
    let digest = Identity(SHA256.hash(envelope)) ?? .none
    return "\(Self.quarantinePrefix)\(peer).\(collection).\(digest)"
  }

  /// Keeps an envelope; durable after ``syncQuarantine()``.
  package func quarantine(
    _ envelope: [UInt8], peer: UInt32, collection: CollectionTag
  ) throws(IOError) {
    let name = name(of: envelope, peer: peer, collection: collection)
    do throws(IOError) {
      let file = try directory.createFile(name)
      try file.write(envelope.span, at: 0)
      try file.sync()
    } catch  where error.code == 17 {}  // EEXIST: it is here.
  }

  package func syncQuarantine() throws(IOError) { try directory.sync() }

  /// The envelopes that were kept, with the names of their files.
  package func quarantined(
    peer: UInt32, collection: CollectionTag
  ) throws(IOError) -> [(name: String, envelope: [UInt8])] {
    let prefix = "\(Self.quarantinePrefix)\(peer).\(collection)."
    var kept: [(name: String, envelope: [UInt8])] = []
    for name in try directory.names().sorted() where name.hasPrefix(prefix) {
      kept.append((name, try read(name)))
    }
    return kept
  }

  package func release(_ names: [String]) throws(IOError) {
    if names.isEmpty { return }
    for name in names { try directory.unlink(name) }
    try directory.sync()
  }
}
