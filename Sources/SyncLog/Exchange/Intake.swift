internal import NyaruEngine

/// Takes envelopes of one collection into a store: opens, merges, and keeps aside what is bad.
struct Intake {
  /// What a head is, for telling it from what is here.
  struct HeadKey: Hashable {
    var record: RecordTag
    var stateTag: UInt64

    init(_ header: EnvelopeHeader) {
      record = header.record
      stateTag = header.stateTag
    }
  }

  let store: any RecordStore
  let keys: VaultKeys
  let collection: CollectionTag
  let directory: SyncDirectory
  let number: UInt32
  var rule: MergeRule

  /// The heads that came, if they are to be remembered.
  var heads: Set<HeadKey>?

  /// Records whose newest head does not open: they are not pushed.
  var blocked: Set<RecordTag> = []
  private var keptCount = 0
  var tally = Tally()

  init(
    store: any RecordStore, keys: VaultKeys, collection: CollectionTag, directory: SyncDirectory,
    number: UInt32, rule: MergeRule
  ) {
    self.store = store
    self.keys = keys
    self.collection = collection
    self.directory = directory
    self.number = number
    self.rule = rule
  }

  /// Merges a page of envelopes; they are here, but not yet durable, when the call returns.
  ///
  /// - Returns: Whether all went in. If not, the peer knows more of this author than this database
  ///   does: it is a copy. What came before that record went in.
  mutating func take(_ envelopes: EnvelopeList) async throws -> Bool {
    var incoming: [OpenedEnvelope] = []
    incoming.reserveCapacity(envelopes.count)
    let results = try await EnvelopeBatch.open(envelopes, keys: keys, collection: collection)
    var hasQuarantined = false
    for (index, result) in results.enumerated() {
      switch result {
      case .success(let opened):
        heads?.insert(HeadKey(opened.header))
        if opened.idKey.isEmpty { try check(opened.state) } else { incoming.append(opened) }
      case .failure(let failure):
        try quarantine(envelopes[index], failure)
        hasQuarantined = true
      }
    }
    if hasQuarantined { try directory.syncQuarantine() }
    tally.received += incoming.count + (results.count(where: \.isFailure))
    return try await apply(incoming)
  }

  /// Tries again what did not open before: a newer version may read what an older one did not.
  mutating func retryQuarantined() async throws -> Bool {
    let kept = try directory.quarantined(peer: number, collection: collection)
    if kept.isEmpty { return true }
    let sealer = try EnvelopeSealer(keys: keys, collection: collection)
    var opened: [OpenedEnvelope] = []
    var released: [String] = []
    for (name, envelope) in kept {
      if let content = try? sealer.open(envelope.span) {
        if !content.idKey.isEmpty { opened.append(content) }
        released.append(name)
      } else {
        block(envelope)
        tally.quarantined += 1
        tally.isComplete = false
      }
    }
    keptCount = kept.count - released.count
    guard try await apply(opened) else { return false }
    _ = try await store.sync()
    try directory.release(released)
    return true
  }

  private mutating func quarantine(
    _ envelope: [UInt8], _ failure: EnvelopeFailure
  ) throws {
    guard keptCount < SyncDirectory.quarantineLimit else {
      throw SyncError.refused(
        code: "quarantineFull",
        reason: "the peer sent \(keptCount) records that do not open", retryAfter: nil)
    }
    keptCount += 1
    try directory.quarantine(envelope, peer: number, collection: collection)
    block(envelope)
    tally.quarantined += 1
    tally.isComplete = false
    tally.note("a record of \(store.name) does not open: \(failure)")
  }

  private mutating func block(_ envelope: [UInt8]) {
    var reader = ByteReader(envelope.span)
    // Without a header nobody knows which record it is.
    if let header = try? EnvelopeHeader(from: &reader) { blocked.insert(header.record) }
  }

  private func check(_ state: RecordState) throws {
    guard let catalog = try? Catalog(state) else { return }
    guard catalog.idField == store.idField else {
      throw SyncError.collectionMismatch(
        collection: store.name, localField: store.idField, remoteField: catalog.idField)
    }
  }

  /// Groups go in whole, what lies between them in pieces without two heads of one record.
  private mutating func apply(_ opened: [OpenedEnvelope]) async throws -> Bool {
    var start = 0
    while start < opened.count {
      let group = opened[start].group
      var records: Set<RecordTag> = [opened[start].header.record]
      var end = start + 1
      while end < opened.count, opened[end].group == group,
        records.insert(opened[end].header.record).inserted
      {
        end += 1
      }
      let incoming = opened[start..<end].map { IncomingRecord(idKey: $0.idKey, state: $0.state) }
      let rule = rule
      let outcome = try await store.apply(incoming, isGroup: group != nil) {
        rule.change($0, $1, $2)
      }
      if outcome.stoppedAt != nil { return false }
      for (record, change) in zip(incoming, outcome.changes) { note(record, change) }
      start = end
    }
    return true
  }

  private mutating func note(_ record: IncomingRecord, _ change: StateChange) {
    switch change {
    case .keep, .stop: tally.same += 1
    case .refuse:
      tally.isComplete = false
      tally.parked += 1
      tally.note(
        "\(store.name) \(IDText.text(record.idKey)): more than \(VersionLimits.entryCount) versions"
      )
    case .write(let state, let source):
      tally.applied += 1
      if source == 0 { tally.merged += 1 }
      if state.entries.count > 1, !state.conflicts.isEmpty { tally.conflicts += 1 }
    }
  }
}

extension Result {
  fileprivate var isFailure: Bool {
    if case .failure = self { true } else { false }
  }
}

/// Ids as people write them.
package enum IDText {
  /// The id as JSON, or its key in hexadecimal digits if that does not read.
  package static func text(_ idKey: [UInt8]) -> String {
    guard let value = try? OrderedKey.decode(idKey) else {
      return "0x" + idKey.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    switch value {
    case .string(let text): return "\"\(text)\""
    case .integer(let number): return "\(number)"
    case .unsigned(let number): return "\(number)"
    default: return "\(value)"
    }
  }
}
