/// Reads the notation of the command.
///
///     or         := and ("or" and)*
///     and        := not ("and" not)*
///     not        := "not" not | "(" or ")" | "exists" field | comparison
///     comparison := field ("==" | "!=" | "<" | "<=" | ">" | ">=" | "contains") value
///                 | field "not"? "in" "(" (value ("," value)*)? ")"
///                 | field "not"? ("like" | "glob" | "startswith" | "endswith") string
///     field      := a path with dots, bare or in double quotes
///     value      := JSON
///
/// Words of the notation may be in upper case. A field that is called like one goes in quotes.
struct FilterParser {
  private static let keywords: Set<String> = [
    "and", "or", "not", "in", "like", "glob", "startswith", "endswith", "contains", "exists",
  ]
  private static let operators = "== != < <= > >= in like glob startswith endswith contains"

  private let text: String
  private let bytes: [UInt8]
  private var offset = 0

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  mutating func parse() throws(FilterSyntaxError) -> Filter {
    guard bytes.count <= DocumentLimits.expressionSize else {
      throw error("more than \(DocumentLimits.expressionSize) bytes")
    }
    let filter = try parseOr(depth: DocumentLimits.depth)
    skipSpace()
    if offset < bytes.count {
      throw error(peek == UInt8(ascii: ")") ? "no parenthesis is open" : "expected and, or")
    }
    return filter
  }

  private mutating func parseOr(depth: Int) throws(FilterSyntaxError) -> Filter {
    var filters = [try parseAnd(depth: depth)]
    while read(word: "or") { filters.append(try parseAnd(depth: depth)) }
    return filters.count == 1 ? filters[0] : .or(filters)
  }

  private mutating func parseAnd(depth: Int) throws(FilterSyntaxError) -> Filter {
    var filters = [try parseNot(depth: depth)]
    while read(word: "and") { filters.append(try parseNot(depth: depth)) }
    return filters.count == 1 ? filters[0] : .and(filters)
  }

  private mutating func parseNot(depth: Int) throws(FilterSyntaxError) -> Filter {
    skipSpace()
    guard depth > 0 else { throw error("more than \(DocumentLimits.depth) levels") }
    if read(word: "not") { return .not(try parseNot(depth: depth - 1)) }
    if read(word: "exists") { return .exists(try parseField()) }
    guard read("(") else { return try parseComparison(parseField()) }
    let filter = try parseOr(depth: depth - 1)
    guard read(")") else { throw error("expected a closing parenthesis") }
    return filter
  }

  private mutating func parseComparison(_ field: FieldPath) throws(FilterSyntaxError) -> Filter {
    if read("==") { return .equal(field, try parseValue()) }
    if read("!=") { return .notEqual(field, try parseValue()) }
    if read("<=") { return .lessThanOrEqual(field, try parseValue()) }
    if read(">=") { return .greaterThanOrEqual(field, try parseValue()) }
    if read("<") { return .lessThan(field, try parseValue()) }
    if read(">") { return .greaterThan(field, try parseValue()) }
    if read(word: "contains") { return .contains(field, try parseValue()) }
    let isNegated = read(word: "not")
    skipSpace()
    if let filter = try parseWordOperator(field) { return isNegated ? .not(filter) : filter }
    if peek == UInt8(ascii: "=") { throw error("expected ==, not =") }
    throw error("expected one of \(Self.operators)")
  }

  private mutating func parseWordOperator(
    _ field: FieldPath
  ) throws(FilterSyntaxError) -> Filter? {
    if read(word: "in") { return .isIn(field, try parseList()) }
    if read(word: "like") { return .like(field, try parseString()) }
    if read(word: "glob") { return .glob(field, try parseString()) }
    if read(word: "startswith") { return .startsWith(field, try parseString()) }
    if read(word: "endswith") { return .endsWith(field, try parseString()) }
    return nil
  }

  private mutating func parseList() throws(FilterSyntaxError) -> [DocumentValue] {
    guard read("(") else { throw error("expected a list in parentheses") }
    var values: [DocumentValue] = []
    if read(")") { return values }
    repeat { values.append(try parseValue()) } while read(",")
    guard read(")") else { throw error("expected a comma or a closing parenthesis") }
    return values
  }

  private mutating func parseString() throws(FilterSyntaxError) -> String {
    skipSpace()
    let start = offset
    guard case .string(let text) = try parseValue() else {
      throw error("expected text in double quotes", at: start)
    }
    return text
  }

  private mutating func parseValue() throws(FilterSyntaxError) -> DocumentValue {
    skipSpace()
    do throws(JSONError) {
      let (value, end) = try JSONText.value(in: bytes.span, at: offset)
      if end < bytes.count, Self.isWordByte(bytes[end]), Self.isWordByte(bytes[end - 1]) {
        throw JSONError(offset: offset, reason: "expected a value")
      }
      offset = end
      return value
    } catch {
      let isBare = error.offset == offset && offset < bytes.count
      throw self.error(
        isBare ? "expected a JSON value; text goes in double quotes" : error.reason,
        at: error.offset)
    }
  }

  private mutating func parseField() throws(FilterSyntaxError) -> FieldPath {
    skipSpace()
    let start = offset
    if peek == UInt8(ascii: "\"") { return FieldPath(try parseString()) }
    let word = peekWord()
    guard !word.isEmpty else { throw error("expected a field") }
    if Self.keywords.contains(word.lowercased()) {
      throw error("expected a field; one that is called \(word) goes in double quotes")
    }
    offset = start + word.utf8.count
    return FieldPath(word)
  }

  private mutating func read(_ symbol: StaticString) -> Bool {
    skipSpace()
    let end = offset + symbol.utf8CodeUnitCount
    guard end <= bytes.count, bytes[offset..<end].elementsEqual("\(symbol)".utf8) else {
      return false
    }
    offset = end
    return true
  }

  private mutating func read(word: String) -> Bool {
    skipSpace()
    guard peekWord().lowercased() == word else { return false }
    offset += word.utf8.count
    return true
  }

  /// The characters up to one that ends a field, those behind a backslash included.
  private func peekWord() -> String {
    var end = offset
    while end < bytes.count, Self.isWordByte(bytes[end]) {
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    return String(decoding: bytes[offset..<min(end, bytes.count)], as: UTF8.self)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && !"()[]{},\"'=!<>".utf8.contains(byte)
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func error(_ reason: String, at offset: Int? = nil) -> FilterSyntaxError {
    let before = String(decoding: bytes.prefix(offset ?? self.offset), as: UTF8.self)
    return FilterSyntaxError(text: text, position: before.count, reason: reason)
  }
}
