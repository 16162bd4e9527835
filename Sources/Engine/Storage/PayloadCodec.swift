import Synchronization

/// Seals payloads under the collection's key, opens and inflates them.
///
/// One codec serves all threads: each call takes one of a few lanes, whose contexts are reused.
package final class PayloadCodec: Sendable {
  /// What the associated data of a chunk of a checkpoint names in place of a slot's stamp.
  package struct ChunkPlace: Sendable {
    package var generation: UInt64
    package var number: UInt64
  }

  /// The contexts that one call at a time may use.
  private struct Contexts {
    var sealer: Sealer?
    var inflater: Inflater?
    var dictionaries: [DeflateDictionary] = []
    var plaintext: [UInt8] = []
  }

  /// Contexts and their lock.
  private final class Lane: Sendable {
    let contexts = Mutex(Contexts())
  }

  private static let laneCount = 4

  /// Bytes of a reused buffer that are kept when a call needed more.
  private static let bufferSizeLimit = 1 << 20

  private let key: SecretKey?
  private let collectionID: [UInt8]
  private let lanes: [Lane]

  /// All that slots may refer to, by version; there may be more than a lane knows of.
  private let dictionaries: Mutex<[DeflateDictionary]>

  package init(
    key: SecretKey?, collectionID: [UInt8], dictionaries: [DeflateDictionary] = []
  ) {
    precondition(collectionID.count == 16, "a collectionID has 16 bytes")
    self.key = key
    self.collectionID = collectionID
    self.dictionaries = Mutex(dictionaries)
    lanes = (0..<Self.laneCount).map { _ in Lane() }
  }

  /// Slots may refer to these from now on.
  package func use(_ dictionaries: [DeflateDictionary]) {
    self.dictionaries.withLock { $0 = dictionaries }
  }

  package var isSealing: Bool { key != nil }

  /// What a payload grows by when it is stored.
  package var overhead: Int { isSealing ? XAES256GCM.overhead : 0 }

  /// Appends a payload as it is to be stored; the nonce is 24 fresh random bytes, if this seals.
  package func store(
    _ prelude: [UInt8], _ bodySection: [UInt8], stamp: SlotStamp, nonce: Span<UInt8>,
    into buffer: inout [UInt8]
  ) throws(StorageError) {
    guard isSealing else {
      buffer.append(contentsOf: prelude)
      buffer.append(contentsOf: bodySection)
      return
    }
    try withLane { (contexts: inout Contexts) throws(StorageError) in
      contexts.plaintext.removeAll(keepingCapacity: true)
      contexts.plaintext.append(contentsOf: prelude)
      contexts.plaintext.append(contentsOf: bodySection)
      let data = associatedData(stamp)
      try seal(&contexts, nonce: nonce, data: data.span, into: &buffer)
    }
  }

  /// Appends the payload of a stored one: the prelude, and the body section, inflated.
  ///
  /// Nothing that is not authentic is looked at.
  package func load(
    _ stored: Span<UInt8>, stamp: SlotStamp, into payload: inout [UInt8]
  ) throws(FormatError) -> PreludeLayout {
    guard stamp.flags.isSealed == isSealing else {
      throw .invalid(isSealing ? "a slot that is not sealed" : "a slot that is sealed")
    }
    let start = payload.count
    if !isSealing, !stamp.flags.isCompressed {
      let layout = try PreludeLayout(stored, isCompressed: false)
      payload.append(copying: stored)
      return layout
    }
    return try withLane { (contexts: inout Contexts) throws(FormatError) in
      guard isSealing else {
        return try inflate(stored, stamp, with: &contexts, into: &payload)
      }
      let data = associatedData(stamp)
      guard stamp.flags.isCompressed else {
        try open(stored, with: &contexts, data: data.span, into: &payload)
        return try PreludeLayout(
          payload.span.extracting(start..<payload.count), isCompressed: false)
      }
      var opened: [UInt8] = []
      swap(&opened, &contexts.plaintext)
      defer { swap(&opened, &contexts.plaintext) }
      opened.removeAll(keepingCapacity: true)
      try open(stored, with: &contexts, data: data.span, into: &opened)
      return try inflate(opened.span, stamp, with: &contexts, into: &payload)
    }
  }

  /// The id key in a stored payload, whose bodies are left as they are.
  package func idKey(
    of stored: Span<UInt8>, stamp: SlotStamp
  ) throws(FormatError) -> [UInt8] {
    guard stamp.flags.isSealed == isSealing else {
      throw .invalid(isSealing ? "a slot that is not sealed" : "a slot that is sealed")
    }
    let isCompressed = stamp.flags.isCompressed
    guard isSealing else {
      let layout = try PreludeLayout(stored, isCompressed: isCompressed)
      return Array(copying: stored.extracting(layout.id))
    }
    let data = associatedData(stamp)
    return try withLane { (contexts: inout Contexts) throws(FormatError) in
      var opened: [UInt8] = []
      swap(&opened, &contexts.plaintext)
      defer { swap(&opened, &contexts.plaintext) }
      opened.removeAll(keepingCapacity: true)
      try open(stored, with: &contexts, data: data.span, into: &opened)
      return Array(opened[try PreludeLayout(opened.span, isCompressed: isCompressed).id])
    }
  }

  private func inflate(
    _ plain: Span<UInt8>, _ stamp: SlotStamp, with contexts: inout Contexts,
    into payload: inout [UInt8]
  ) throws(FormatError) -> PreludeLayout {
    guard let method = SlotCompression(rawValue: stamp.flags.compression) else {
      throw .unsupported("compression \(stamp.flags.compression)")
    }
    let layout = try PreludeLayout(plain, isCompressed: true)
    guard let size = layout.rawSize, size <= Inflater.messageSizeLimit else {
      throw .lengthOutOfRange(UInt64(layout.rawSize ?? 0))
    }
    let inflater = contexts.inflater ?? Inflater()
    contexts.inflater = inflater
    var start = layout.bodyOffset
    var dictionary: [UInt8]?
    if method == .deflateWithDictionary {
      guard start < plain.count else { throw .truncated }
      dictionary = try self.dictionary(plain[start], &contexts)
      start += 1
    }
    payload.append(copying: plain.extracting(0..<layout.bodyOffset))
    try inflater.inflate(
      plain.extracting(start..<plain.count), size: size, dictionary: dictionary, into: &payload)
    return layout
  }

  private func dictionary(
    _ version: UInt8, _ contexts: inout Contexts
  ) throws(FormatError) -> [UInt8] {
    if version > contexts.dictionaries.count {
      contexts.dictionaries = dictionaries.withLock { $0 }
    }
    guard version > 0, version <= contexts.dictionaries.count else {
      throw .invalid("the collection has no dictionary \(version)")
    }
    return contexts.dictionaries[Int(version) - 1].bytes
  }
}

/// Chunks of checkpoints.
extension PayloadCodec {
  package func storeChunk(
    _ bytes: [UInt8], place: ChunkPlace, into buffer: inout [UInt8]
  ) throws(StorageError) {
    guard isSealing else {
      buffer.append(contentsOf: bytes)
      return
    }
    let nonce = RandomBytes.next(XAES256GCM.nonceSize)
    try withLane { (contexts: inout Contexts) throws(StorageError) in
      contexts.plaintext = bytes
      try seal(
        &contexts, nonce: nonce.span, data: associatedData(place).span, into: &buffer)
    }
  }

  package func loadChunk(
    _ stored: Span<UInt8>, place: ChunkPlace
  ) throws(FormatError) -> [UInt8] {
    guard isSealing else { return Array(copying: stored) }
    return try withLane { (contexts: inout Contexts) throws(FormatError) in
      var bytes: [UInt8] = []
      try open(stored, with: &contexts, data: associatedData(place).span, into: &bytes)
      return bytes
    }
  }
}

extension PayloadCodec {
  private func seal(
    _ contexts: inout Contexts, nonce: Span<UInt8>, data: Span<UInt8>, into buffer: inout [UInt8]
  ) throws(StorageError) {
    do throws(CryptoError) {
      let sealer = try sealer(&contexts)
      buffer.append(copying: nonce)
      try sealer.seal(contexts.plaintext.span, nonce: nonce, associatedData: data, into: &buffer)
    } catch {
      throw .sealing(error)
    }
    if contexts.plaintext.count > Self.bufferSizeLimit { contexts.plaintext = [] }
  }

  private func open(
    _ stored: Span<UInt8>, with contexts: inout Contexts, data: Span<UInt8>,
    into payload: inout [UInt8]
  ) throws(FormatError) {
    guard stored.count >= XAES256GCM.overhead else { throw .truncated }
    do throws(CryptoError) {
      try sealer(&contexts).open(
        stored.extracting(XAES256GCM.nonceSize..<stored.count),
        nonce: stored.extracting(0..<XAES256GCM.nonceSize), associatedData: data,
        into: &payload)
    } catch {
      throw .checksumMismatch
    }
  }

  private func sealer(_ contexts: inout Contexts) throws(CryptoError) -> Sealer {
    if let sealer = contexts.sealer { return sealer }
    guard let key else { throw .unavailable("a key") }
    let sealer = try Sealer(key: key)
    contexts.sealer = sealer
    return sealer
  }

  private func withLane<Result: Sendable, Failure: Error>(
    _ body: (inout Contexts) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    for lane in lanes {
      let result = try lane.contexts.withLockIfAvailable {
        (contexts: inout Contexts) throws(Failure) in try body(&contexts)
      }
      if let result { return result }
    }
    return try lanes[0].contexts.withLock { (contexts: inout Contexts) throws(Failure) in
      try body(&contexts)
    }
  }

  /// purpose u8[8], collectionID, sequence u64, batchIndex u32, batchCount u32, flags u8, zero
  private func associatedData(_ stamp: SlotStamp) -> InlineArray<48, UInt8> {
    associatedData(
      "NyaruRec", stamp.sequence,
      UInt64(stamp.batchIndex) | UInt64(stamp.batchCount) << 32,
      UInt64(stamp.flags.unretired.rawValue))
  }

  /// purpose u8[8], collectionID, generation u64, number u64, zero u64
  private func associatedData(_ place: ChunkPlace) -> InlineArray<48, UInt8> {
    associatedData("NyaruChk", place.generation, place.number, 0)
  }

  private func associatedData(
    _ purpose: StaticString, _ first: UInt64, _ second: UInt64, _ third: UInt64
  ) -> InlineArray<48, UInt8> {
    var data = InlineArray<48, UInt8>(repeating: 0)
    purpose.withUTF8Buffer { purpose in
      for index in 0..<8 { data[index] = unsafe purpose[index] }
    }
    for index in 0..<16 { data[8 + index] = collectionID[index] }
    for index in 0..<8 {
      let shift = UInt64(8 * index)
      data[24 + index] = UInt8(truncatingIfNeeded: first >> shift)
      data[32 + index] = UInt8(truncatingIfNeeded: second >> shift)
      data[40 + index] = UInt8(truncatingIfNeeded: third >> shift)
    }
    return data
  }
}

extension [UInt8] {
  private static let zeros = [UInt8](repeating: 0, count: 4096)

  /// Appends so many zeros, copied from a block of them.
  mutating func append(zeros count: Int) {
    var rest = count
    while rest > 0 {
      let size = Swift.min(rest, Self.zeros.count)
      append(copying: Self.zeros.span.extracting(0..<size))
      rest -= size
    }
  }

  /// Appends the bytes of a span.
  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
