internal import Synchronization

/// The directory of one database, open and locked.
///
///     DIR/  LOCK  database  collections/<file name>/  sync/
///
/// Invariants:
/// - `LOCK` is created once, never replaced, and held from opening to closing.
/// - `database` is written last when a database is created, and replaced whole afterwards. Until
///   it is there, nothing else holds data.
/// - A collection's directory appears under its name with its manifest in it, and goes in one
///   step, too: both are renames.
/// - `<file name>.new` and `<file name>.dropped.<number>` in `collections/` are leftovers of a
///   creation or a drop, which opening removes. The file name of a collection has no dot.
/// - After a failed write nothing is changed any more.
package final class DatabaseDirectory: Sendable {
  package static let lockName = "LOCK"
  static let collectionsName = "collections"
  static let syncName = "sync"

  /// Where the database is, for error texts.
  package let path: String

  /// Whether this opening found the directory to be a copy, or restored, and gave it identities of
  /// its own.
  package let isCopy: Bool

  /// The keys of an encrypted database.
  package var keys: KeyRing? { state.withLock { $0.keys } }

  /// File names for partition values and peers.
  package let names: Names

  /// The directory for checkpoints per endpoint.
  package let syncDirectory: any Directory

  let directory: any Directory
  let collections: any Directory
  let state: Mutex<State>

  /// What changes under the lock; the lock also orders the writers.
  struct State {
    var manifest: DatabaseManifest
    var keys: KeyRing?
    var lock: (any DirectoryLock)?
    var failure: IOError?
  }

  init(
    directory: any Directory, collections: any Directory, syncDirectory: any Directory,
    isCopy: Bool, state: sending State
  ) {
    self.directory = directory
    self.collections = collections
    self.syncDirectory = syncDirectory
    self.isCopy = isCopy
    path = directory.path
    names = Names(key: state.keys?.names)
    self.state = Mutex(state)
  }

  /// Lets another handle open the database.
  package func close() {
    state.withLock { $0.lock = nil }
  }

  package var databaseID: [UInt8] { state.withLock { $0.manifest.databaseID } }

  /// All authors that wrote here; slots refer to them by their index.
  package var replicaIDs: [ReplicaID] { state.withLock { $0.manifest.replicaIDs } }

  /// The author of what is written now.
  package var replicaID: ReplicaID {
    state.withLock { state in
      guard let current = state.manifest.replicaIDs.last else {
        preconditionFailure("a manifest has a replicaID, its decoder says so")
      }
      return current
    }
  }

  /// Whether records still carry dots that this replica must not claim; see
  /// ``finishReidentification()``.
  package var needsReidentification: Bool {
    state.withLock { $0.manifest.needsReidentification }
  }

  package var defaultFormat: BodyFormat { state.withLock { $0.manifest.defaultFormat } }
  package var defaultCompression: CompressionMethod {
    state.withLock { $0.manifest.defaultCompression }
  }

  /// Takes a new author's identity, which is durable when the call returns.
  ///
  /// `reidentifying` remembers that records are to be given new dots before the next sync.
  package func addReplicaID(
    reidentifying: Bool = false
  ) throws(DatabaseDirectoryError) -> ReplicaID {
    let replicaID = ReplicaID(number: RandomBytes.nextUInt64())
    try update { (manifest, _) throws(DatabaseDirectoryError) in
      try manifest.add(replicaID)
      if reidentifying { manifest.needsReidentification = true }
    }
    return replicaID
  }

  /// Remembers that no record carries a dot that this replica must not claim.
  package func finishReidentification() throws(DatabaseDirectoryError) {
    guard needsReidentification else { return }
    try update { (manifest, _) in manifest.needsReidentification = false }
  }

  /// Changes the key or password, which is durable when the call returns; the data stays as it is.
  ///
  /// A password is stretched before the lock is taken, so that nobody waits for that.
  package func changeCredential(
    to credential: DatabaseCredential
  ) throws(DatabaseDirectoryError) {
    guard let old = keys else { throw .notEncrypted(path: path) }
    let new: KeyRing
    do throws(KeyRing.Failure) { new = try old.rewrapped(with: credential) } catch {
      throw .key(path: path, error)
    }
    try update { (manifest, keys) in
      manifest.protection = new.protection
      keys = new
    }
  }

  /// Writes a changed manifest, durable when the call returns; when it throws before that, the
  /// manifest is as it was.
  func update(
    _ change: (inout DatabaseManifest, inout KeyRing?) throws(DatabaseDirectoryError) -> Void
  ) throws(DatabaseDirectoryError) {
    try state.withLock { (state) throws(DatabaseDirectoryError) in
      try update(&state, change)
    }
  }

  func update(
    _ state: inout State,
    _ change: (inout DatabaseManifest, inout KeyRing?) throws(DatabaseDirectoryError) -> Void
  ) throws(DatabaseDirectoryError) {
    try checkWritable(state)
    var manifest = state.manifest
    var keys = state.keys
    try change(&manifest, &keys)
    try write(&state) { () throws(IOError) in
      try directory.replaceFile(
        DatabaseManifest.fileName, with: manifest.encoded(keys: keys))
    }
    (state.manifest, state.keys) = (manifest, keys)
  }

  func checkWritable(_ state: State) throws(DatabaseDirectoryError) {
    if let failure = state.failure { throw .poisoned(failure) }
    guard state.lock != nil else { throw .closed }
  }

  /// Runs calls to the disk; once one fails, nobody knows what is there, so that writing ends.
  func write<Result>(
    _ state: inout State, _ body: () throws(IOError) -> Result
  ) throws(DatabaseDirectoryError) -> Result {
    do throws(IOError) {
      return try body()
    } catch {
      state.failure = error
      throw .io(error)
    }
  }
}

extension DatabaseManifest {
  /// Appends an author, who writes from now on.
  mutating func add(_ replicaID: ReplicaID) throws(DatabaseDirectoryError) {
    guard replicaIDs.count < Self.replicaLimit else {
      throw .limit("the number of identities of one database", Self.replicaLimit)
    }
    replicaIDs.append(replicaID)
  }
}
