package import NyaruEngine

/// Seals and opens whole pages, on all cores.
package enum EnvelopeBatch {
  /// One record that is to be sealed.
  package struct Record: Sendable {
    package var idKey: [UInt8]
    package var state: RecordState
    package var header: EnvelopeHeader
    package var group: UInt64?

    package init(idKey: [UInt8], state: RecordState, header: EnvelopeHeader, group: UInt64?) {
      self.idKey = idKey
      self.state = state
      self.header = header
      self.group = group
    }
  }

  /// Below this count one core is faster than the hand-over to another one.
  private static let sliceSizeMinimum = 256
  private static let sliceCountLimit = 8

  /// The records' envelopes, in order.
  package static func seal(
    _ records: [Record], keys: VaultKeys, collection: CollectionTag, compresses: Bool = true
  ) async throws -> EnvelopeList {
    let pieces = try await inSlices(of: records.count) { range in
      let sealer = try EnvelopeSealer(
        keys: keys, collection: collection, compresses: compresses)
      let nonces = RandomBytes.next(range.count * XAES256GCM.nonceSize)
      var list = EnvelopeList()
      for (place, record) in records[range].enumerated() {
        let start = place * XAES256GCM.nonceSize
        try sealer.seal(
          record.state, idKey: record.idKey, header: record.header,
          nonce: nonces.span.extracting(start..<start + XAES256GCM.nonceSize),
          group: record.group, into: &list)
      }
      return list
    }
    guard var all = pieces.first else { return EnvelopeList() }
    for piece in pieces.dropFirst() { all.append(piece) }
    return all
  }

  /// What lies in the envelopes, in order.
  package static func open(
    _ envelopes: EnvelopeList, keys: VaultKeys, collection: CollectionTag
  ) async throws -> [Result<OpenedEnvelope, EnvelopeFailure>] {
    let pieces = try await inSlices(of: envelopes.count) { range in
      let sealer = try EnvelopeSealer(keys: keys, collection: collection)
      return range.map { index in
        Result { () throws(EnvelopeFailure) in
          try sealer.open(envelopes.bytes.span.extracting(envelopes.ranges[index]))
        }
      }
    }
    return pieces.count == 1 ? pieces[0] : Array(pieces.joined())
  }

  /// The headers of the records' envelopes, in order.
  package static func headers(
    of records: [(idKey: [UInt8], state: RecordState)], keys: VaultKeys,
    collection: CollectionTag
  ) async throws -> [EnvelopeHeader] {
    let pieces = try await inSlices(of: records.count) { range in
      let sealer = try EnvelopeSealer(keys: keys, collection: collection)
      return records[range].map { sealer.header(of: $0.state, idKey: $0.idKey) }
    }
    return Array(pieces.joined())
  }

  private static func inSlices<Piece: Sendable>(
    of count: Int, _ work: @escaping @Sendable (Range<Int>) throws -> Piece
  ) async throws -> [Piece] {
    let sliceCount = min(sliceCountLimit, (count + sliceSizeMinimum - 1) / sliceSizeMinimum)
    if sliceCount <= 1 { return count == 0 ? [] : [try work(0..<count)] }
    return try await withThrowingTaskGroup(of: (Int, Piece).self) { group in
      for slice in 0..<sliceCount {
        let range = count * slice / sliceCount..<count * (slice + 1) / sliceCount
        group.addTask { (slice, try work(range)) }
      }
      var pieces = [Piece?](repeating: nil, count: sliceCount)
      for try await (slice, piece) in group { pieces[slice] = piece }
      return pieces.compactMap(\.self)
    }
  }
}
