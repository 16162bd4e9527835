import Synchronization

/// What the writer and all readers share, behind one lock.
///
/// The lock is held for work in memory only, never across a call of the file system.
struct SharedState: Sendable {
  var image: StoreImage

  /// Versions that are not in the image yet.
  var tail: RecoveredTail?
  var durableSequence: UInt64 = 0

  /// The shards by number; `nil` where a number is free.
  var shards: [Shard?] = []
  var files: OpenFiles
  var pins = Pins()
  var statistics = StoreStatistics()

  /// Free slots whose size is not in the statistics, since they may be still to be read.
  private(set) var otherFree = LazyPart<[FreeSlot]>([])

  init(indexCount: Int, openFileLimit: Int) {
    image = StoreImage(indexCount: indexCount)
    files = OpenFiles(limit: openFileLimit)
  }

  /// Where a version lies, and the file if it is open.
  struct Location {
    var entry: RecordEntry
    var shard: Shard
    var file: (any File)?
  }

  /// Where the newest version of the record lies; counts it if it is read next.
  mutating func location(of idKey: [UInt8], isRead: Bool = false) -> Location? {
    image.adoptLookups()
    let entry = tail?.entry(idKey) ?? image.entry(idKey.span)
    guard let location = entry.flatMap({ location(of: $0) }) else { return nil }
    // Without an open file the reader counts, who asks for one.
    if isRead, location.file != nil { noteRead(of: 1, size: location.entry.storedSize) }
    return location
  }

  mutating func location(of entry: RecordEntry) -> Location? {
    guard entry.shard < shards.count, let shard = shards[entry.shard] else { return nil }
    return Location(entry: entry, shard: shard, file: files.file(entry.shard))
  }

  /// Takes notice of the slots that are free.
  mutating func noteFree(_ free: FreeSlots) {
    statistics.freeSize = free.activeSize
    otherFree = free.others
  }

  /// Counts a read that is about to happen.
  mutating func noteRead(of count: Int, size: Int) {
    statistics.activity.reads += UInt64(count)
    statistics.activity.readSize += UInt64(size)
  }
}

extension RecordEntry {
  /// Bytes that are read for the version.
  var storedSize: Int { SlotHeader.size + payloadLength }
}

/// Reads slots, on any thread.
final class SlotSource: Sendable {
  let state: Mutex<SharedState>
  let codec: PayloadCodec

  /// The file name of a shard's key.
  let partition: @Sendable (String) -> String

  private let directory: any Directory

  /// Makes the shards in the directory readable.
  init(
    state: consuming SharedState, codec: PayloadCodec, directory: any Directory,
    partition: @escaping @Sendable (String) -> String
  ) {
    self.state = Mutex(state)
    self.codec = codec
    self.directory = directory
    self.partition = partition
  }

  /// The shard's file, opened if need be; counts what is about to be read from it.
  func file(
    of shard: Shard, reading count: Int = 0, size: Int = 0
  ) throws(StorageError) -> any File {
    let open = state.withLock { state in
      state.noteRead(of: count, size: size)
      return Self.isCurrent(shard, in: state) ? state.files.file(shard.number) : nil
    }
    if let open { return open }
    let file = try openFile(shard.fileName)
    state.withLock { state in
      if Self.isCurrent(shard, in: state) { state.files.insert(file, shard.number) }
    }
    return file
  }

  /// Takes into the image what opening has found behind the checkpoint.
  ///
  /// - Returns: Whether the image is whole; `false` if a part of the checkpoint does not read.
  @discardableResult
  func settle() -> Bool {
    guard let tail = state.withLock({ $0.tail }) else { return true }
    let base = state.withLock { $0.image }
    guard let merged = tail.merge(into: base, self) else { return false }
    state.withLock { state in
      guard state.tail === tail else { return }
      let lastSequence = state.image.lastSequence
      state.image = merged.image
      state.image.lastSequence = max(lastSequence, merged.image.lastSequence)
      state.tail = nil
    }
    return true
  }

  /// Counts a record that does not read.
  func noteUnreadable() {
    state.withLock { $0.statistics.activity.unreadable += 1 }
    NyaruLogger.log(.error, "a record in \(directory.path) does not read")
  }

  private func openFile(_ name: String) throws(StorageError) -> any File {
    do throws(IOError) {
      return try directory.openFile(name)
    } catch  where error.isOutOfDescriptors {
      state.withLock { $0.files.removeAll() }
      do { return try directory.openFile(name) } catch { throw .io(error) }
    } catch {
      throw .io(error)
    }
  }

  /// Whether the number still means this shard, and not one that came later.
  private static func isCurrent(_ shard: Shard, in state: SharedState) -> Bool {
    shard.number < state.shards.count && state.shards[shard.number] === shard
  }

  /// Reads and checks the slot that the entry names: one read of exactly its bytes.
  ///
  /// - Returns: `nil` if it does not read as that version.
  func read(_ location: SharedState.Location) throws(StorageError) -> StoredRecord? {
    let entry = location.entry
    let file: any File
    if let open = location.file {
      file = open
    } else {
      file = try self.file(of: location.shard, reading: 1, size: entry.storedSize)
    }
    let bytes: [UInt8]
    do {
      bytes = try file.read(entry.storedSize, at: entry.offset)
    } catch {
      throw .io(error)
    }
    return decode(bytes, entry, at: location.shard.place(entry.offset))
  }

  private func decode(
    _ bytes: [UInt8], _ entry: RecordEntry, at place: SlotPlace
  ) -> StoredRecord? {
    guard let header = SlotHeader.checked(bytes.span, entry: entry, at: place) else { return nil }
    let stored = bytes.span.extracting(SlotHeader.size..<bytes.count)
    // A slot that reads and does not open counts as damaged, whatever the reason.
    if !header.stamp.flags.isSealed, !header.stamp.flags.isCompressed, !codec.isSealing {
      guard let layout = try? PreludeLayout(stored, isCompressed: false) else { return nil }
      return StoredRecord(
        stamp: header.stamp, layout: layout, bytes: bytes,
        range: SlotHeader.size..<bytes.count)
    }
    var payload: [UInt8] = []
    guard let layout = try? codec.load(stored, stamp: header.stamp, into: &payload) else {
      return nil
    }
    return StoredRecord(
      stamp: header.stamp, layout: layout, bytes: payload, range: payload.indices)
  }
}

extension SlotHeader {
  /// The header at the start of the bytes, if it and the payload behind it are what the entry says.
  static func checked(
    _ bytes: Span<UInt8>, entry: RecordEntry, at place: SlotPlace
  ) -> SlotHeader? {
    guard let header = SlotHeader(unchecked: bytes), header.stamp.sequence == entry.sequence,
      Int(header.payloadLength) == entry.payloadLength,
      bytes.count >= size + entry.payloadLength,
      header.isIntact(bytes.extracting(size..<size + entry.payloadLength), at: place)
    else { return nil }
    return header
  }
}

extension IOError {
  /// Too many open files, in the process (`EMFILE`) or in the system (`ENFILE`).
  var isOutOfDescriptors: Bool { code == 24 || code == 23 }
}
