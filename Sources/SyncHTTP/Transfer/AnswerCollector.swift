/// Collects an answer while it arrives: lines of the header, then pieces of the body.
///
/// It never holds more than `sizeLimit` bytes of body, and not more than ``headerSizeLimit`` of
/// header.
struct AnswerCollector {
  static let headerSizeLimit = 64 << 10

  private(set) var response = HTTPResponse(status: 0)
  private(set) var isTooLarge = false

  /// Whether the empty line came: libcurl takes a connection that ends before it for an answer.
  private(set) var isHeaderComplete = false
  let sizeLimit: Int
  private var headerSize = 0

  init(sizeLimit: Int) { self.sizeLimit = sizeLimit }

  /// Takes one line of the header; `false` ends the transfer.
  mutating func receiveHeader(_ line: [UInt8]) -> Bool {
    headerSize += line.count
    guard headerSize <= Self.headerSizeLimit else { return false }
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") {
      // Each interim answer (100) starts anew.
      response = HTTPResponse(status: Self.status(ofLine: text))
      isHeaderComplete = false
      return true
    }
    if Self.trimmed(text[...]).isEmpty { isHeaderComplete = true }
    guard let colon = text.firstIndex(of: ":") else { return true }
    let value = Self.trimmed(text[text.index(after: colon)...])
    switch text[..<colon].lowercased() {
    case "content-type": response.contentType = Self.mediaType(value)
    case "retry-after": response.retryAfter = Int(value).flatMap { $0 >= 0 ? $0 : nil }
    case "content-length": return announce(size: value)
    default: break
    }
    return true
  }

  /// Takes a piece of the body; `false` ends the transfer.
  mutating func receiveBody(count: Int, _ append: (inout [UInt8]) -> Void) -> Bool {
    guard count <= sizeLimit - response.body.count else {
      isTooLarge = true
      return false
    }
    append(&response.body)
    return true
  }

  private mutating func announce(size text: String) -> Bool {
    guard let size = UInt64(text) else { return true }  // Left to libcurl, which refuses it.
    guard size <= UInt64(sizeLimit) else {
      isTooLarge = true
      return false
    }
    response.body.reserveCapacity(min(Int(size), 1 << 20))  // A promise is no reason for more.
    return true
  }

  private static func status(ofLine line: String) -> Int {
    let parts = line.split(separator: " ", maxSplits: 2)
    return parts.count > 1 ? Int(trimmed(parts[1])) ?? 0 : 0
  }

  private static func mediaType(_ value: String) -> String {
    trimmed(value.prefix { $0 != ";" }).lowercased()
  }

  private static func trimmed(_ text: Substring) -> String {
    let rest = text.drop { $0.isWhitespace }
    guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(rest[...last])
  }
}
