/// How deep a decoding is in containers, and in calls of `init(from:)`.
struct DecodingNesting {
  var containers: Int32 = 0
  var calls: Int32 = 0
}

/// The bytes of a decoding under way, and the reading of values at an offset of them.
///
/// Offsets are all that decoders and containers hold. The coding path of one is found, when
/// somebody asks for it, by walking from the start of the bytes to the offset.
final class DecodingState: Sendable {
  let bytes: [UInt8]

  /// Where the value as a whole lies in the bytes.
  let range: Range<Int>
  let userInfo: [CodingUserInfoKey: any Sendable]

  /// The path of the value that the bytes are.
  private let prefix: [DocumentKey]

  init(
    _ bytes: [UInt8], range: Range<Int>? = nil, userInfo: [CodingUserInfoKey: any Sendable],
    prefix: [DocumentKey] = []
  ) {
    self.bytes = bytes
    self.range = range ?? bytes.indices
    self.userInfo = userInfo
    self.prefix = prefix
  }

  /// A state whose value is null, for what is asked for and missing.
  func missing(_ key: DocumentKey, at offset: Int) -> DecodingState {
    DecodingState([0xC0], userInfo: userInfo, prefix: path(to: offset) + [key])
  }

  /// A reader of the bytes from an offset on.
  ///
  /// The bytes live and stay the same as long as the state does, so what reads them may depend on
  /// the state instead of the access to the property.
  @_lifetime(borrow self)
  @inline(__always)
  func reader(at offset: Int) -> MessagePackReader {
    let bytes = bytes
    let reader = unsafe _overrideLifetime(
      MessagePackReader(bytes.span.extracting(0..<range.upperBound), at: offset), borrowing: self)
    return reader
  }

  // MARK: Scalars

  func isNull(at offset: Int) -> Bool { offset < range.upperBound && bytes[offset] == 0xC0 }

  /// Reads the value at the offset, which then is behind it.
  func bool(at offset: inout Int) throws -> Bool {
    var reader = self.reader(at: offset)
    let header = try self.header(&reader, at: offset)
    guard case .bool(let value) = header else { throw mismatch(Bool.self, header, at: offset) }
    offset = reader.offset
    return value
  }

  /// Reads the value at the offset, which then is behind it.
  func string(at offset: inout Int) throws -> String {
    var reader = self.reader(at: offset)
    let header = try self.header(&reader, at: offset)
    guard case .string(let size) = header else { throw mismatch(String.self, header, at: offset) }
    let value: String
    do throws(FormatError) { value = try reader.readString(size) } catch {
      throw corrupted("\(error)", at: offset)
    }
    offset = reader.offset
    return value
  }

  /// Reads the value at the offset, which then is behind it.
  func binary(at offset: inout Int) throws -> [UInt8] {
    var reader = self.reader(at: offset)
    let header = try self.header(&reader, at: offset)
    guard case .binary(let size) = header, let value = try? reader.readBytes(size) else {
      throw mismatch([UInt8].self, header, at: offset)
    }
    offset = reader.offset
    return value
  }

  /// Reads the value at the offset, which then is behind it.
  func double(at offset: inout Int) throws -> Double {
    var reader = self.reader(at: offset)
    let header = try self.header(&reader, at: offset)
    let value: Double
    switch header {
    case .double(let double): value = double
    case .integer(let integer): value = Double(integer)
    case .unsigned(let integer): value = Double(integer)
    default: throw mismatch(Double.self, header, at: offset)
    }
    offset = reader.offset
    return value
  }

  /// Reads the value at the offset, which then is behind it.
  func float(at offset: inout Int) throws -> Float {
    let start = offset
    let double = try double(at: &offset)
    let value = Float(double)
    guard value.isFinite || !double.isFinite else { throw doesNotFit(Float.self, at: start) }
    return value
  }

  /// Reads the value at the offset, which then is behind it.
  @inline(__always)
  func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: inout Int) throws -> T {
    var reader = self.reader(at: offset)
    let header = try self.header(&reader, at: offset)
    let value: T?
    switch header {
    case .integer(let integer): value = T(exactly: integer)
    case .unsigned(let integer): value = T(exactly: integer)
    case .double(let double): value = T(exactly: double)
    default: throw mismatch(type, header, at: offset)
    }
    guard let value else { throw doesNotFit(type, at: offset) }
    offset = reader.offset
    return value
  }

  @inline(__always)
  private func header(
    _ reader: inout MessagePackReader, at offset: Int
  ) throws -> MessagePackReader.Header {
    do throws(FormatError) { return try reader.readHeader() } catch {
      throw corrupted("\(error)", at: offset)
    }
  }

  // MARK: Containers

  /// The start and number of the entries of a map.
  func map(at offset: Int) throws -> (offset: Int, count: Int) {
    var reader = self.reader(at: offset)
    let header = try self.header(&reader, at: offset)
    guard case .map(let count) = header else {
      throw mismatch([String: Any].self, header, at: offset)
    }
    return (reader.offset, count)
  }

  /// The start and number of the elements of an array.
  func array(at offset: Int) throws -> (offset: Int, count: Int) {
    var reader = self.reader(at: offset)
    let header = try self.header(&reader, at: offset)
    guard case .array(let count) = header else { throw mismatch([Any].self, header, at: offset) }
    return (reader.offset, count)
  }

  /// Where the value ends that starts at an offset.
  func end(of offset: Int) throws -> Int {
    var reader = self.reader(at: offset)
    do throws(FormatError) { try reader.skipValue() } catch {
      throw corrupted("\(error)", at: offset)
    }
    return reader.offset
  }

  // MARK: Errors

  func corrupted(_ reason: String, at offset: Int) -> DecodingError {
    .dataCorrupted(
      .init(codingPath: path(to: offset), debugDescription: "The value does not read: \(reason)."))
  }

  func doesNotFit(_ type: Any.Type, at offset: Int) -> DecodingError {
    .dataCorrupted(
      .init(codingPath: path(to: offset), debugDescription: "The number does not fit \(type)."))
  }

  func mismatch(
    _ type: Any.Type, _ header: MessagePackReader.Header, at offset: Int
  ) -> DecodingError {
    let found =
      switch header {
      case .null: "null"
      case .bool: "a bool"
      case .integer, .unsigned, .double: "a number"
      case .string: "a string"
      case .binary: "a binary"
      case .array: "an array"
      case .map: "a map"
      }
    let context = DecodingError.Context(
      codingPath: path(to: offset), debugDescription: "Expected \(type), but found \(found).")
    return header == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  /// The keys that lead from the value as a whole to the one at an offset.
  func path(to target: Int) -> [DocumentKey] {
    var path = prefix
    var reader = self.reader(at: range.lowerBound)
    while reader.offset < target, let header = try? reader.readHeader() {
      let isFound =
        switch header {
        case .map(let count): descend(&reader, to: target, count, isMap: true, &path)
        case .array(let count): descend(&reader, to: target, count, isMap: false, &path)
        default: false
        }
      if !isFound { break }
    }
    return path
  }

  /// Moves to the entry or element of a container that holds an offset, and appends its key.
  private func descend(
    _ reader: inout MessagePackReader, to target: Int, _ count: Int, isMap: Bool,
    _ path: inout [DocumentKey]
  ) -> Bool {
    for index in 0..<count {
      var key = DocumentKey(intValue: index)
      if isMap {
        guard let size = try? reader.readKeyHeader(), let text = try? reader.readString(size) else {
          return false
        }
        key = DocumentKey(stringValue: text)
      }
      var behind = reader
      if (try? behind.skipValue()) == nil || behind.offset > target {
        path.append(key)
        return true
      }
      reader = behind
    }
    return false
  }
}
