/// A place in the input, for a message.
package enum SourcePosition {
  /// "line 3: reason (byte 17)": the line that the document begins in comes first.
  ///
  /// The offset counts bytes from the start of the document to what is wrong.
  package static func message(_ reason: String, in text: SourceText, offset: Int) -> String {
    let before = text.bytes.prefix(max(0, offset))
    let newlines = before.count { $0 == UInt8(ascii: "\n") }
    guard newlines > 0 else {
      return "line \(text.line): \(reason) (byte \(text.indentation + before.count + 1))"
    }
    let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count
    return "line \(text.line): \(reason) (line \(text.line + newlines), byte \(column + 1))"
  }
}
