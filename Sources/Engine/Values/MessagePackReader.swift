/// Reads MessagePack values, front to back, from bytes that somebody else owns.
///
/// Every read checks its bounds and throws, and a count is checked against the bytes that remain
/// before anything is made of it, so no input makes a reader trap or allocate much. Of MessagePack
/// it takes all but the extension types.
package struct MessagePackReader: ~Escapable {
  /// What stands before the content of a value, or the whole of a small value.
  package enum Header: Equatable {
    case null
    case bool(Bool)
    case integer(Int64)

    /// Only for numbers that `integer` does not hold.
    case unsigned(UInt64)
    case double(Double)

    /// Bytes of UTF-8 that follow.
    case string(size: Int)

    /// Bytes that follow.
    case binary(size: Int)

    /// Values that follow.
    case array(count: Int)

    /// Pairs of a key, which is a string, and a value, that follow.
    case map(count: Int)
  }

  private let bytes: RawSpan

  /// Bytes from the start to the next read.
  package private(set) var offset: Int

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, at offset: Int = 0) {
    self.bytes = unsafe bytes.bytes  // Safe for UInt8; SE-0525 says so from Swift 6.4 on.
    self.offset = min(max(offset, 0), bytes.count)
  }

  package var remaining: Int { bytes.byteCount - offset }

  /// The byte that the next value starts with.
  package func peek() throws(FormatError) -> UInt8 {
    guard remaining > 0 else { throw .truncated }
    return unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// Whether the next value is null, which then is read.
  package mutating func readNull() throws(FormatError) -> Bool {
    guard try peek() == 0xC0 else { return false }
    offset += 1
    return true
  }

  package mutating func readHeader() throws(FormatError) -> Header {
    let byte = try load(UInt8.self)
    switch byte {
    case 0x00...0x7F: return .integer(Int64(byte))
    case 0x80...0x8F: return .map(count: try length(byte & 0x0F, times: 2))
    case 0x90...0x9F: return .array(count: try length(byte & 0x0F))
    case 0xA0...0xBF: return .string(size: try length(byte & 0x1F))
    case 0xC0: return .null
    case 0xC2: return .bool(false)
    case 0xC3: return .bool(true)
    case 0xC4: return .binary(size: try length(UInt8.self))
    case 0xC5: return .binary(size: try length(UInt16.self))
    case 0xC6: return .binary(size: try length(UInt32.self))
    case 0xCA: return .double(Double(Float(bitPattern: try load(UInt32.self))))
    case 0xCB: return .double(Double(bitPattern: try load(UInt64.self)))
    case 0xCC: return .integer(Int64(try load(UInt8.self)))
    case 0xCD: return .integer(Int64(try load(UInt16.self)))
    case 0xCE: return .integer(Int64(try load(UInt32.self)))
    case 0xCF:
      let value = try load(UInt64.self)
      return Int64(exactly: value).map(Header.integer) ?? .unsigned(value)
    case 0xD0: return .integer(Int64(try load(Int8.self)))
    case 0xD1: return .integer(Int64(try load(Int16.self)))
    case 0xD2: return .integer(Int64(try load(Int32.self)))
    case 0xD3: return .integer(try load(Int64.self))
    case 0xD9: return .string(size: try length(UInt8.self))
    case 0xDA: return .string(size: try length(UInt16.self))
    case 0xDB: return .string(size: try length(UInt32.self))
    case 0xDC: return .array(count: try length(UInt16.self))
    case 0xDD: return .array(count: try length(UInt32.self))
    case 0xDE: return .map(count: try length(UInt16.self, times: 2))
    case 0xDF: return .map(count: try length(UInt32.self, times: 2))
    case 0xE0...0xFF: return .integer(Int64(Int8(bitPattern: byte)))
    default: throw .unsupported("a MessagePack extension type")
    }
  }

  /// Reads the header of a map.
  package mutating func readMapHeader() throws(FormatError) -> Int {
    guard case .map(let count) = try readHeader() else { throw .invalid("not a map") }
    return count
  }

  /// Reads the header of a key, whose bytes follow.
  package mutating func readKeyHeader() throws(FormatError) -> Int {
    let byte = try peek()
    if byte & 0xE0 == 0xA0 {
      let size = Int(byte & 0x1F)
      guard size < remaining else { throw .truncated }
      offset += 1
      return size
    }
    guard case .string(let size) = try readHeader() else {
      throw .invalid("a key that is not a string")
    }
    return size
  }

  package mutating func skipBytes(_ size: Int) throws(FormatError) {
    guard size >= 0, size <= remaining else { throw .truncated }
    offset += size
  }

  /// Skips a value with all that lies in it, without recursion.
  package mutating func skipValue() throws(FormatError) {
    var pending = 1
    while pending > 0 {
      pending -= 1
      switch try readHeader() {
      case .string(let size), .binary(let size): offset += size
      case .array(let count): pending += count
      case .map(let count): pending += 2 * count
      default: break
      }
    }
  }

  /// Whether the next bytes are these, which then are read.
  package mutating func readBytes(ifEqual other: Span<UInt8>) -> Bool {
    guard other.count <= remaining else { return false }
    for index in other.indices {
      let byte = unsafe bytes.unsafeLoad(
        fromUncheckedByteOffset: offset + index, as: UInt8.self)
      if byte != other[index] { return false }
    }
    offset += other.count
    return true
  }

  package mutating func readBytes(_ size: Int) throws(FormatError) -> [UInt8] {
    let span = try readSpan(size)
    return unsafe span.withUnsafeBytes { unsafe Array($0) }
  }

  package mutating func readString(_ size: Int) throws(FormatError) -> String {
    String(copying: try readText(size))
  }

  /// The bytes of a string or binary, where they lie, whatever they are.
  @_lifetime(copy self)
  package mutating func readBytes(spanOf size: Int) throws(FormatError) -> Span<UInt8> {
    Span<UInt8>(_bytes: try readSpan(size))
  }

  /// The bytes of a string, where they lie, checked to be UTF-8.
  @_lifetime(copy self)
  package mutating func readText(_ size: Int) throws(FormatError) -> UTF8Span {
    do { return try UTF8Span(validating: Span<UInt8>(_bytes: try readSpan(size))) } catch {
      throw .invalid("a string that is not UTF-8")
    }
  }

  /// The bytes, where they lie.
  @_lifetime(copy self)
  package mutating func readSpan(_ size: Int) throws(FormatError) -> RawSpan {
    guard size >= 0, size <= remaining else { throw .truncated }
    offset += size
    return bytes.extracting(offset - size..<offset)
  }

  /// A length for which enough bytes remain.
  private mutating func length<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, times factor: Int = 1
  ) throws(FormatError) -> Int {
    let length = try load(type)
    return try self.length(length, times: factor)
  }

  private func length(
    _ length: some BinaryInteger, times factor: Int = 1
  ) throws(FormatError) -> Int {
    guard Int(length) <= remaining / factor else { throw .truncated }
    return Int(length)
  }

  private mutating func load<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type
  ) throws(FormatError) -> T {
    guard remaining >= MemoryLayout<T>.size else { throw .truncated }
    defer { offset += MemoryLayout<T>.size }
    return T(
      bigEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self))
  }
}
