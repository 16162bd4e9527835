/// One version of a record, read and checked.
package struct StoredRecord: Sendable {
  package let stamp: SlotStamp
  package let layout: PreludeLayout

  /// Bytes that hold the payload, and where in them it lies.
  private let bytes: [UInt8]
  private let start: Int
  private let end: Int

  init(stamp: SlotStamp, layout: PreludeLayout, bytes: [UInt8], range: Range<Int>) {
    self.stamp = stamp
    self.layout = layout
    self.bytes = bytes
    start = range.lowerBound
    end = range.upperBound
  }

  package var sequence: UInt64 { stamp.sequence }
  package var isDeletion: Bool { stamp.flags.isDeletion }
  package var isGroup: Bool { stamp.flags.isGroup }
  package var isCompressed: Bool { stamp.flags.isCompressed }

  /// The prelude and the body section, inflated.
  package var payload: Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes.span.extracting(start..<end) }
  }

  package var view: RecordView {
    @_lifetime(borrow self)
    get { RecordView(stamp: stamp, layout: layout, payload: payload) }
  }

  /// The same, in bytes of its own.
  func copy() -> StoredRecord {
    StoredRecord(
      stamp: stamp, layout: layout, bytes: Array(copying: payload), range: 0..<end - start)
  }

  package var idKey: [UInt8] {
    Array(bytes[start + layout.id.lowerBound..<start + layout.id.upperBound])
  }

  /// The bodies of all standing versions, the one that is seen first.
  package var bodySection: ArraySlice<UInt8> { bytes[start + layout.bodyOffset..<end] }

  /// The body that is seen.
  package var body: ArraySlice<UInt8> {
    bodySection.prefix(layout.seenSize ?? bodySection.count)
  }

  /// The body that is seen, where it lies in bytes that are not copied.
  package var bodyInPlace: (bytes: [UInt8], range: Range<Int>) { (bytes, body.indices) }
}

/// One version of a record in the buffer of a scan, checked, and gone when the callback returns.
package struct RecordView: ~Escapable {
  package let stamp: SlotStamp
  package let layout: PreludeLayout

  /// The prelude and the body section, inflated.
  package let payload: Span<UInt8>

  @_lifetime(copy payload)
  init(stamp: SlotStamp, layout: PreludeLayout, payload: Span<UInt8>) {
    self.stamp = stamp
    self.layout = layout
    self.payload = payload
  }

  package var sequence: UInt64 { stamp.sequence }
  package var isDeletion: Bool { stamp.flags.isDeletion }

  package var idKey: Span<UInt8> {
    @_lifetime(copy self)
    get { payload.extracting(layout.id) }
  }

  /// The bodies of all standing versions, the one that is seen first.
  package var bodySection: Span<UInt8> {
    @_lifetime(copy self)
    get { payload.extracting(layout.bodyOffset..<payload.count) }
  }

  /// The body that is seen.
  package var body: Span<UInt8> {
    @_lifetime(copy self)
    get {
      let end = layout.seenSize.map { layout.bodyOffset + $0 } ?? payload.count
      return payload.extracting(layout.bodyOffset..<end)
    }
  }
}
