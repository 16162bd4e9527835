internal import NyaruEngine

/// What a part of the feed has for a peer.
enum Offer {
  /// One record that goes to the peer.
  struct Item: Sendable {
    var record: FeedRecord
    var header: EnvelopeHeader

    /// The same for all records of one group, and for no others of a request.
    var group: UInt64? { record.group }
  }

  /// The records that the peer may need, in sequence order.
  ///
  /// Left out is what came from the source later than a sequence; what the peer is known to have;
  /// and the records that are blocked.
  static func items(
    _ records: [FeedRecord], source: UInt32, receivedAfter: UInt64 = 0, known: Set<Intake.HeadKey>?,
    blocked: Set<RecordTag>, keys: VaultKeys, collection: CollectionTag
  ) async throws -> [Item] {
    let due = records.filter {
      source == 0 || $0.source != source || $0.sequence <= receivedAfter
    }
    let headers = try await EnvelopeBatch.headers(
      of: due.map { ($0.idKey, $0.state) }, keys: keys, collection: collection)
    var items: [Item] = []
    items.reserveCapacity(due.count)
    for (record, header) in zip(due, headers) {
      if blocked.contains(header.record) { continue }
      if let known, known.contains(Intake.HeadKey(header)) { continue }
      items.append(Item(record: record, header: header))
    }
    return items
  }

  /// Where a request that was too large can be cut without cutting a group, near the middle.
  static func middle(of items: [Item]) -> Int? {
    let center = items.count / 2
    let cuts = items.indices.dropFirst().filter { index in
      items[index].group == nil || items[index].group != items[index - 1].group
    }
    return cuts.min { abs($0 - center) < abs($1 - center) }
  }

  static func seal(
    _ items: [Item], keys: VaultKeys, collection: CollectionTag, compresses: Bool = true
  ) async throws -> EnvelopeList {
    // One draw per request: equal numbers of two requests must not meet in one page.
    let salt = RandomBytes.nextUInt64()
    let records = items.map { item in
      EnvelopeBatch.Record(
        idKey: item.record.idKey, state: item.record.state, header: item.header,
        group: item.group.map { $0 ^ salt })
    }
    return try await EnvelopeBatch.seal(
      records, keys: keys, collection: collection, compresses: compresses)
  }
}
