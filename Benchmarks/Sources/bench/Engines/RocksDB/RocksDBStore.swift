import CRocksDB

/// A RocksDB database with default options, except that it does not compress.
///
/// It is an address of C, which may be used by several threads at once.
struct RocksDBStore: Sendable {
  private let address: UInt
  private let writeOptions: UInt
  private let readOptions: UInt

  init(folder: String, isDurable: Bool) throws {
    let options = unsafe rocksdb_options_create()
    defer { unsafe rocksdb_options_destroy(options) }
    unsafe rocksdb_options_set_create_if_missing(options, 1)
    unsafe rocksdb_options_set_compression(options, Int32(rocksdb_no_compression))
    let handle = try unsafe Self.checked { error in unsafe rocksdb_open(options, folder, error) }
    address = UInt(bitPattern: handle)
    let write = unsafe rocksdb_writeoptions_create()
    unsafe rocksdb_writeoptions_set_sync(write, isDurable ? 1 : 0)
    writeOptions = UInt(bitPattern: write)
    unsafe readOptions = UInt(bitPattern: rocksdb_readoptions_create())
  }

  private var handle: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }
  private var reading: OpaquePointer? { unsafe OpaquePointer(bitPattern: readOptions) }

  /// Writes what the body puts into the batch, all or nothing.
  func write(_ body: (RocksDBBatch) throws -> Void) throws {
    let batch = unsafe rocksdb_writebatch_create()
    defer { unsafe rocksdb_writebatch_destroy(batch) }
    try unsafe body(RocksDBBatch(batch, self))
    let options = unsafe OpaquePointer(bitPattern: writeOptions)
    try unsafe Self.checked { error in unsafe rocksdb_write(handle, options, batch, error) }
  }

  /// The user with the id, or nothing.
  func user(_ id: String) throws -> User? {
    let key = UserKeys.document(id)
    let slice = try unsafe key.withUnsafeBytes { key in
      try unsafe Self.checked { error in
        unsafe rocksdb_get_pinned(
          handle, reading, key.assumingMemoryBound(to: CChar.self).baseAddress, key.count, error)
      }
    }
    guard let slice = unsafe slice else { return nil }
    defer { unsafe rocksdb_pinnableslice_destroy(slice) }
    var size = 0
    let start = unsafe rocksdb_pinnableslice_value(slice, &size)
    return try unsafe Payload.decode(UnsafeRawBufferPointer(start: start, count: size))
  }

  /// Calls the body for every user, in the order of ids.
  func forEachUser(_ body: (User) -> Void) throws {
    let iterator = unsafe rocksdb_create_iterator(handle, reading)
    defer { unsafe rocksdb_iter_destroy(iterator) }
    unsafe rocksdb_iter_seek(iterator, "d", 1)
    while unsafe rocksdb_iter_valid(iterator) != 0 {
      var size = 0
      let start = unsafe rocksdb_iter_value(iterator, &size)
      body(try unsafe Payload.decode(UnsafeRawBufferPointer(start: start, count: size)))
      unsafe rocksdb_iter_next(iterator)
    }
  }

  func sync() throws {
    try unsafe Self.checked { error in unsafe rocksdb_flush_wal(handle, 1, error) }
  }

  /// Writes out what is in memory, and merges everything.
  func compact() throws {
    let options = unsafe rocksdb_flushoptions_create()
    defer { unsafe rocksdb_flushoptions_destroy(options) }
    try unsafe Self.checked { error in unsafe rocksdb_flush(handle, options, error) }
    unsafe rocksdb_compact_range(handle, nil, 0, nil, 0)
  }

  func close() {
    unsafe rocksdb_close(handle)
    unsafe rocksdb_writeoptions_destroy(OpaquePointer(bitPattern: writeOptions))
    unsafe rocksdb_readoptions_destroy(reading)
  }

  /// Calls into C, and throws the message that it leaves.
  private static func checked<Result>(
    _ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) throws -> Result {
    var message: UnsafeMutablePointer<CChar>?
    let result = unsafe call(&message)
    if let message = unsafe message {
      defer { unsafe rocksdb_free(message) }
      throw EngineError(unsafe String(cString: message))
    }
    return result
  }
}

/// Writes that take effect together; the bytes are copied into it.
@safe struct RocksDBBatch {
  private let handle: OpaquePointer?
  private let store: RocksDBStore

  init(_ handle: OpaquePointer?, _ store: RocksDBStore) {
    unsafe self.handle = handle
    self.store = store
  }

  /// Puts without a look at what is there, which is what this engine is good at.
  func insert(_ user: User) throws { try put(user, UserKeys(user)) }

  func update(_ user: User) throws {
    guard let old = try store.user(user.id) else { throw EngineError("no user \(user.id)") }
    let keys = UserKeys(old)
    remove(keys.city)
    remove(keys.age)
    try put(user, UserKeys(user))
  }

  func delete(_ id: String) throws {
    guard let old = try store.user(id) else { return }
    let keys = UserKeys(old)
    remove(keys.document)
    remove(keys.city)
    remove(keys.age)
  }

  private func put(_ user: User, _ keys: UserKeys) throws {
    put(keys.document, try Payload.encode(user))
    put(keys.city, [])
    put(keys.age, [])
  }

  private func put(_ key: [UInt8], _ value: [UInt8]) {
    unsafe key.withUnsafeBytes { key in
      unsafe value.withUnsafeBytes { value in
        unsafe rocksdb_writebatch_put(
          handle, key.assumingMemoryBound(to: CChar.self).baseAddress, key.count,
          value.assumingMemoryBound(to: CChar.self).baseAddress, value.count)
      }
    }
  }

  private func remove(_ key: [UInt8]) {
    unsafe key.withUnsafeBytes { key in
      unsafe rocksdb_writebatch_delete(
        handle, key.assumingMemoryBound(to: CChar.self).baseAddress, key.count)
    }
  }
}
