/// The records that one turn of the writer puts together.
struct WriteTurn {
  private(set) var records: [RecordWrite] = []
  let authors: [ReplicaID]
  let author: ReplicaID

  /// Where the author stands among all that the database has had.
  private let authorIndex: Int?
  let now: UInt64
  let isReplicated: Bool
  private let first: UInt64
  private var tags: [UInt64]
  private var tagIndex = 0

  init(_ core: isolated CollectionCore, count: Int) {
    authors = core.database.replicaIDs
    author = core.database.replicaID
    authorIndex = authors.lastIndex(of: author)
    isReplicated = core.database.isReplicated
    now = core.now()
    first = core.store.nextSequence
    tags = RandomBytes.nextNumbers(count)
    records.reserveCapacity(count)
  }

  /// The sequence of the next record.
  var sequence: UInt64 { first + UInt64(records.count) }
  var dot: Dot { Dot(replica: author, sequence: sequence) }

  mutating func append(_ record: RecordWrite) { records.append(record) }

  mutating func nextTag() -> UInt64 {
    defer { tagIndex += 1 }
    return tags[tagIndex]
  }

  /// Checks the operation against the record that is there, and adds what it writes.
  ///
  /// What is known is the version that was there when the turn began.
  mutating func add(
    _ intent: WriteIntent, known: KnownVersion? = nil, in core: isolated CollectionCore
  ) throws(NyaruError) {
    let (found, entry) = known == nil ? try current(intent, in: core) : (known, nil)
    let old = found?.record
    // Nothing stands in an index where there is nothing, and nobody knows what does not read.
    let previousKeys = found == nil && entry == nil ? [] : found?.indexKeys
    let exists = old.map { !$0.isDeletion } ?? entry.map { !$0.isDeletion } ?? false
    if let expected = intent.expectedSequence, (old?.sequence ?? entry?.sequence) != expected {
      throw .changedMeanwhile(intent.id)
    }
    switch intent.kind {
    case .insert where exists: throw .duplicateID(intent.id)
    case .update where !exists: throw .documentNotFound(intent.id)
    case .delete where !exists: return
    default: break
    }
    // Mostly nobody else has written the record, and its state need not be put together.
    let time = entry == nil && intent.kind != .resolve ? timeAfter(old) : nil
    let state =
      time == nil
      ? try old.map { (old) throws(NyaruError) in try core.state(of: old, authors) } : nil
    if intent.kind == .delete {
      try addDeletion(
        of: intent, isOwn: time != nil, state: state, previousKeys: previousKeys, in: core)
      return
    }
    var document = intent.document
    if let revision = intent.revision, exists, let old {
      document = try revision(Array(old.body), old.layout.format)
    }
    guard let document else {
      throw .corruptedRecord(id: intent.id, reason: "what is to be changed does not read")
    }
    guard document.idKey == intent.idKey else {
      throw .idChanged(from: intent.id, to: DocumentShape.id(of: document.idKey))
    }
    if isReplicated, document.body.count > DocumentLimits.syncedDocumentSize {
      throw .limitExceeded(
        limit: "syncedDocumentSize", maximum: DocumentLimits.syncedDocumentSize,
        actual: document.body.count)
    }
    let tag = nextTag()
    if let time {
      addOwn(
        document, tag: tag, time: min(max(now, time), VersionLimits.time),
        previousKeys: previousKeys, in: core)
      return
    }
    let base = state ?? .unwritten
    let next =
      intent.kind == .resolve
      ? base.resolving(document.body, format: document.format, dot: dot, tag: tag, now: now)
      : base.writing(document.body, format: document.format, dot: dot, tag: tag, now: now)
    append(
      core.record(
        next, document: document, previousIndexKeys: previousKeys, sequence: sequence, authors))
  }

  /// What is there now: the record, or where it lies if it does not read or nobody needs it.
  private func current(
    _ intent: WriteIntent, in core: isolated CollectionCore
  ) throws(NyaruError) -> (KnownVersion?, RecordEntry?) {
    // An insert mostly finds nothing, and an id in use is refused without a look at the disk.
    if intent.kind == .insert {
      guard let entry = try entry(intent, in: core) else { return (nil, nil) }
      guard entry.isDeletion else { return (nil, entry) }
    }
    if let old = try core.readable(intent.idKey) {
      return (KnownVersion(record: old, indexKeys: core.previousIndexKeys(old)), nil)
    }
    return (nil, try entry(intent, in: core))
  }

  private func entry(
    _ intent: WriteIntent, in core: isolated CollectionCore
  ) throws(NyaruError) -> RecordEntry? {
    let reader = core.reader
    return try NyaruError.storage { () throws(StorageError) in try reader.entry(intent.idKey) }
  }

  /// The earliest time of the next version, if the database's own author is the only one.
  private func timeAfter(_ old: StoredRecord?) -> UInt64? {
    guard let authorIndex else { return nil }
    guard let old else { return 0 }
    return Prelude.timeAfterOwn(old.payload, author: authorIndex)
  }

  /// Adds a version of a record that nobody else has written.
  private mutating func addOwn(
    _ document: PreparedDocument, tag: UInt64, time: UInt64, previousKeys: [[UInt8]?]?,
    in core: isolated CollectionCore
  ) {
    let rawSize = document.compression == .none ? nil : document.body.count
    append(
      RecordWrite(
        idKey: document.idKey, shardKey: document.shardKey,
        prelude: Prelude.encodeOwn(
          author: authorIndex ?? 0, tag: tag, time: time, format: document.format,
          idKey: document.idKey, rawSize: rawSize),
        bodySection: document.section, compression: document.compression,
        indexKeys: core.indexKeys(of: document), previousIndexKeys: previousKeys))
  }

  private mutating func addDeletion(
    of intent: WriteIntent, isOwn: Bool, state: RecordState?, previousKeys: [[UInt8]?]?,
    in core: isolated CollectionCore
  ) throws(NyaruError) {
    if isOwn {
      append(
        RecordWrite(
          idKey: intent.idKey, isDeletion: true,
          prelude: Prelude.encodeOwnDeletion(author: authorIndex ?? 0, idKey: intent.idKey),
          previousIndexKeys: previousKeys))
      return
    }
    let next = (state ?? .unwritten).deleting(dot: dot, includingConflicts: false)
    append(
      try core.record(
        next, idKey: intent.idKey, source: 0, previousIndexKeys: previousKeys,
        sequence: sequence, authors))
  }
}
