/// Writes MessagePack, each value in its shortest form, into one growable buffer.
///
/// The buffer is a raw allocation of its own, since an array would check for uniqueness, capacity
/// and bounds with every byte. It is safe because only `reserve` and the functions that follow
/// one in this file touch it.
@safe package struct MessagePackWriter: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int

  /// Bytes written so far.
  package private(set) var count = 0

  package init(capacity: Int = 512) {
    self.capacity = max(capacity, 16)
    unsafe base = UnsafeMutablePointer.allocate(capacity: self.capacity)
  }

  deinit { unsafe base.deallocate() }

  /// What was written so far.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let span = unsafe Span(_unsafeStart: UnsafePointer(base), count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// A copy of what was written so far.
  package borrowing func bytes() -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: base, count: count))
  }

  /// Drops all but the first bytes.
  package mutating func truncate(to size: Int) {
    precondition(size >= 0 && size <= count, "a size that was reached")
    count = size
  }

  package mutating func writeNull() { write(byte: 0xC0) }

  package mutating func write(_ value: Bool) { write(byte: value ? 0xC3 : 0xC2) }

  package mutating func write(_ value: Double) { write(0xCB, value.bitPattern) }

  package mutating func write(_ value: Int64) {
    guard value < 0 else {
      write(UInt64(bitPattern: value))
      return
    }
    if value >= -32 {
      write(byte: UInt8(truncatingIfNeeded: value))
    } else if let value = Int8(exactly: value) {
      write(0xD0, value)
    } else if let value = Int16(exactly: value) {
      write(0xD1, value)
    } else if let value = Int32(exactly: value) {
      write(0xD2, value)
    } else {
      write(0xD3, value)
    }
  }

  package mutating func write(_ value: UInt64) {
    if value < 0x80 {
      write(byte: UInt8(truncatingIfNeeded: value))
    } else if let value = UInt8(exactly: value) {
      write(0xCC, value)
    } else if let value = UInt16(exactly: value) {
      write(0xCD, value)
    } else if let value = UInt32(exactly: value) {
      write(0xCE, value)
    } else {
      write(0xCF, value)
    }
  }

  package mutating func write(_ value: String) {
    let size = value.utf8.count
    writeStringHeader(size: size)
    reserve(size)
    let isCopied: Void? = unsafe value.utf8.withContiguousStorageIfAvailable { source in
      unsafe copy(UnsafeRawBufferPointer(source))
    }
    if isCopied == nil { for byte in value.utf8 { write(byte: byte) } }
  }

  /// Writes a string, and returns one of 64 bits that strings which differ mostly do not share.
  package mutating func writeKey(_ key: String) -> UInt64 {
    let start = count
    write(key)
    let first = unsafe base[min(start + 1, count - 1)]
    let last = unsafe base[count - 1]
    let middle = unsafe base[(start + count) / 2]
    let sum = (count - start) &* 7 &+ Int(first) &* 3 &+ Int(last) &* 5 &+ Int(middle) &* 11
    return 1 << UInt64(truncatingIfNeeded: sum & 63)
  }

  package mutating func write(binary bytes: [UInt8]) {
    writeBinaryHeader(size: bytes.count)
    append(bytes.span)
  }

  package mutating func writeStringHeader(size: Int) {
    if size < 32 {
      write(byte: 0xA0 | UInt8(truncatingIfNeeded: size))
    } else if size <= UInt8.max {
      write(0xD9, UInt8(truncatingIfNeeded: size))
    } else if size <= UInt16.max {
      write(0xDA, UInt16(truncatingIfNeeded: size))
    } else {
      write(0xDB, UInt32(clamping: size))
    }
  }

  package mutating func writeBinaryHeader(size: Int) {
    if size <= UInt8.max {
      write(0xC4, UInt8(truncatingIfNeeded: size))
    } else if size <= UInt16.max {
      write(0xC5, UInt16(truncatingIfNeeded: size))
    } else {
      write(0xC6, UInt32(clamping: size))
    }
  }

  package mutating func writeArrayHeader(count: Int) {
    writeContainerHeader(count: count, small: 0x90, large: 0xDC)
  }

  package mutating func writeMapHeader(count: Int) {
    writeContainerHeader(count: count, small: 0x80, large: 0xDE)
  }

  private mutating func writeContainerHeader(count: Int, small: UInt8, large: UInt8) {
    if count < 16 {
      write(byte: small | UInt8(truncatingIfNeeded: count))
    } else if count <= UInt16.max {
      write(large, UInt16(truncatingIfNeeded: count))
    } else {
      write(large + 1, UInt32(clamping: count))
    }
  }

  /// Appends bytes as they are.
  package mutating func append(_ bytes: Span<UInt8>) {
    reserve(bytes.count)
    unsafe bytes.withUnsafeBytes { unsafe copy($0) }
  }

  /// Appends one byte as it is.
  package mutating func write(byte: UInt8) {
    reserve(1)
    unsafe base[count] = byte
    count += 1
  }

  private mutating func write<T: FixedWidthInteger & BitwiseCopyable>(_ tag: UInt8, _ value: T) {
    reserve(1 + MemoryLayout<T>.size)
    unsafe base[count] = tag
    unsafe UnsafeMutableRawPointer(base + count + 1).storeBytes(of: value.bigEndian, as: T.self)
    count += 1 + MemoryLayout<T>.size
  }

  /// Copies bytes for which there is room.
  private mutating func copy(_ source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress else { return }
    unsafe UnsafeMutableRawPointer(base + count).copyMemory(
      from: start, byteCount: source.count)
    count += source.count
  }

  /// Makes room for more bytes.
  private mutating func reserve(_ size: Int) {
    if capacity - count < size { grow(size) }
  }

  private mutating func grow(_ size: Int) {
    let larger = max(2 * capacity, count + size)
    let target = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    unsafe target.update(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = target
    capacity = larger
  }
}

extension MessagePackWriter {
  /// Leaves a byte for the header of a container whose count is not known yet, and returns where.
  package mutating func beginContainer() -> Int {
    write(byte: 0xC0)
    return count - 1
  }

  /// Puts the header of a map in its place, before all that was written since.
  package mutating func endMap(at start: Int, count: Int) {
    end(at: start, count: count, small: 0x80, large: 0xDE)
  }

  /// Puts the header of an array in its place, before all that was written since.
  package mutating func endArray(at start: Int, count: Int) {
    end(at: start, count: count, small: 0x90, large: 0xDC)
  }

  private mutating func end(at start: Int, count: Int, small: UInt8, large: UInt8) {
    precondition(start < self.count, "the place of a header that was left")
    if count < 16 {
      unsafe base[start] = small | UInt8(truncatingIfNeeded: count)
    } else {
      let number = UInt32(clamping: count)
      let bytes = (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
      let header = number <= UInt16.max ? [large] + bytes.suffix(2) : [large + 1] + bytes
      replace(start..<start + 1, with: header.span)
    }
  }

  /// Puts other bytes in the place of some that were written.
  package mutating func replace(_ range: Range<Int>, with bytes: Span<UInt8>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range of what was written")
    let growth = bytes.count - range.count
    if growth > 0 { reserve(growth) }
    if growth != 0 {
      unsafe UnsafeMutableRawPointer(base + range.upperBound + growth).copyMemory(
        from: base + range.upperBound, byteCount: count - range.upperBound)
    }
    for index in bytes.indices { unsafe base[range.lowerBound + index] = bytes[index] }
    count += growth
  }
}
