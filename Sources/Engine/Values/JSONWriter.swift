/// Writes MessagePack values as JSON text in one line.
struct JSONWriter: ~Copyable {
  private var output: MessagePackWriter  // Only as a buffer: `write(byte:)` and `append`.

  init(capacity: Int) { output = MessagePackWriter(capacity: capacity) }

  borrowing func bytes() -> [UInt8] { output.bytes() }

  /// Writes a value that stands for itself, whatever its keys are.
  mutating func writeDocument(_ reader: inout MessagePackReader) throws(FormatError) {
    try write(&reader, depth: DocumentLimits.depth, isDocument: true)
  }

  private mutating func write(
    _ reader: inout MessagePackReader, depth: Int, isDocument: Bool = false
  ) throws(FormatError) {
    switch try reader.readHeader() {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(String(value))
    case .unsigned(let value): append(String(value))
    case .double(let value): write(value)
    case .string(let size): try writeString(size, from: &reader)
    case .binary(let size): writeSpecial("$binary", JSONEscape.text(of: try reader.readBytes(size)))
    case .array(let count):
      guard depth > 0 else { throw .tooDeep }
      try writeArray(count, from: &reader, depth: depth - 1)
    case .map(let count):
      guard depth > 0 else { throw .tooDeep }
      let isEscaped = count == 1 && !isDocument ? try isAmbiguous(reader) : false
      try writeMap(count, from: &reader, depth: depth - 1, isEscaped: isEscaped)
    }
  }

  private mutating func writeArray(
    _ count: Int, from reader: inout MessagePackReader, depth: Int
  ) throws(FormatError) {
    output.write(byte: UInt8(ascii: "["))
    for index in 0..<count {
      if index > 0 { output.write(byte: UInt8(ascii: ",")) }
      try write(&reader, depth: depth)
    }
    output.write(byte: UInt8(ascii: "]"))
  }

  private mutating func writeMap(
    _ count: Int, from reader: inout MessagePackReader, depth: Int, isEscaped: Bool
  ) throws(FormatError) {
    output.write(byte: UInt8(ascii: "{"))
    for index in 0..<count {
      if index > 0 { output.write(byte: UInt8(ascii: ",")) }
      try writeString(try reader.readKeyHeader(), from: &reader, isEscaped: isEscaped)
      output.write(byte: UInt8(ascii: ":"))
      try write(&reader, depth: depth)
    }
    output.write(byte: UInt8(ascii: "}"))
  }

  /// Whether the map of one entry that comes next would be read as something else.
  private func isAmbiguous(_ reader: MessagePackReader) throws(FormatError) -> Bool {
    var reader = reader
    let key = try reader.readBytes(try reader.readKeyHeader())
    guard key.first == UInt8(ascii: "$"), case .string(let size) = try reader.readHeader() else {
      return false
    }
    return JSONEscape.isAmbiguous(key: key, text: try reader.readBytes(size))
  }

  private mutating func write(_ double: Double) {
    if double.isFinite {
      append(double.description)
    } else {
      writeSpecial("$double", Array(JSONEscape.text(of: double).utf8))
    }
  }

  private mutating func writeSpecial(_ key: String, _ text: [UInt8]) {
    append("{\"\(key)\":\"")
    output.append(text.span)
    append("\"}")
  }

  private mutating func writeString(
    _ size: Int, from reader: inout MessagePackReader, isEscaped: Bool = false
  ) throws(FormatError) {
    let text = try reader.readText(size).span
    output.write(byte: UInt8(ascii: "\""))
    if isEscaped { output.write(byte: UInt8(ascii: "$")) }
    var start = 0
    for index in 0..<text.count {
      let byte = text[index]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
      output.append(text.extracting(start..<index))
      writeEscape(byte)
      start = index + 1
    }
    output.append(text.extracting(start..<text.count))
    output.write(byte: UInt8(ascii: "\""))
  }

  private mutating func writeEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    default: append((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16))
    }
  }

  private mutating func append(_ text: String) {
    for byte in text.utf8 { output.write(byte: byte) }
  }
}
