import NyaruEngine
import TestSupport

/// What a filter means, on values instead of bytes, as plainly as it can be said.
enum FilterModel {
  static func matches(_ filter: Filter, _ document: DocumentMap) -> Bool {
    switch filter {
    case .equal(let path, let value): field(path, document).map { $0 == value } ?? false
    case .notEqual(let path, let value): !matches(.equal(path, value), document)
    case .lessThan(let path, let value): same(path, value, document).map { $0 < value } ?? false
    case .lessThanOrEqual(let path, let value):
      same(path, value, document).map { $0 <= value } ?? false
    case .greaterThan(let path, let value):
      same(path, value, document).map { $0 > value } ?? false
    case .greaterThanOrEqual(let path, let value):
      same(path, value, document).map { $0 >= value } ?? false
    case .between(let path, let lower, let upper):
      matches(.greaterThanOrEqual(path, lower), document)
        && matches(.lessThanOrEqual(path, upper), document)
    case .isIn(let path, let values): values.contains { matches(.equal(path, $0), document) }
    case .like(let path, let pattern):
      text(path, document).map { like($0[...], Array(pattern.unicodeScalars)[...]) } ?? false
    case .startsWith(let path, let text):
      self.text(path, document).map { $0.starts(with: text.unicodeScalars) } ?? false
    case .endsWith(let path, let text):
      self.text(path, document).map { $0.reversed().starts(with: text.unicodeScalars.reversed()) }
        ?? false
    case .contains(let path, let value): contains(path, value, document)
    case .exists(let path): field(path, document) != nil
    case .and(let filters): filters.allSatisfy { matches($0, document) }
    case .or(let filters): filters.contains { matches($0, document) }
    case .not(let filter): !matches(filter, document)
    case .glob: false
    }
  }

  static func field(_ path: FieldPath, _ document: DocumentMap) -> DocumentValue? {
    var value: DocumentValue? = .map(document)
    for component in path.components {
      guard case .map(let map) = value else { return nil }
      value = map[component]
    }
    return value
  }

  private static func same(
    _ path: FieldPath, _ value: DocumentValue, _ document: DocumentMap
  ) -> DocumentValue? {
    field(path, document).flatMap { $0.kind == value.kind ? $0 : nil }
  }

  private static func text(_ path: FieldPath, _ document: DocumentMap) -> [Unicode.Scalar]? {
    guard case .string(let text) = field(path, document) else { return nil }
    return Array(text.unicodeScalars)
  }

  private static func contains(
    _ path: FieldPath, _ value: DocumentValue, _ document: DocumentMap
  ) -> Bool {
    switch field(path, document) {
    case .array(let values): return values.contains(value)
    case .string(let text):
      guard case .string(let part) = value else { return false }
      let (text, size) = (Array(text.utf8), part.utf8.count)
      return text.count >= size
        && (0...text.count - size).contains { text[$0..<$0 + size].elementsEqual(part.utf8) }
    default: return false
    }
  }

  private static func like(
    _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "%": return (0...text.count).contains { like(text.dropFirst($0), rest) }
    case "_": return !text.isEmpty && like(text.dropFirst(), rest)
    case "\\":
      return text.first == rest.first ?? "\\" && like(text.dropFirst(), rest.dropFirst())
    default: return text.first == first && like(text.dropFirst(), rest)
    }
  }
}

/// Makes documents and filters that often match one another.
struct RandomFilters {
  private static let paths: [FieldPath] = ["a", "b", "a.x", "b.y", "missing"]
  private static let texts = ["", "a", "ab", "abc", "b", "ba", "aé", "é😀", "a\0"]
  private static let patterns = [
    "", "%", "a%", "%b", "_", "a_", "%a%b%", "\\%", "_%_", "é_", "%é%",
  ]

  var random: RandomValues

  init(seed: UInt64) { random = RandomValues(seed: seed) }

  mutating func document() -> DocumentMap {
    var document = DocumentMap()
    for key in ["a", "b"] where Int.random(in: 0..<5, using: &random.generator) > 0 {
      document[key] = value()
      if Int.random(in: 0..<3, using: &random.generator) == 0 {
        document[key] = ["x": value(), "y": value()]
      }
    }
    return document
  }

  mutating func value() -> DocumentValue {
    switch Int.random(in: 0..<6, using: &random.generator) {
    case 0: .integer(Int64.random(in: -2...2, using: &random.generator))
    case 1: .double(Double(Int.random(in: -4...4, using: &random.generator)) / 2)
    case 2, 3: .string(Self.texts.randomElement(using: &random.generator) ?? "")
    case 4: .array((0..<Int.random(in: 0..<3, using: &random.generator)).map { _ in value() })
    default: random.value(depth: 1)
    }
  }

  mutating func filter(depth: Int = 3) -> Filter {
    let path = Self.paths.randomElement(using: &random.generator) ?? "a"
    let text = Self.texts.randomElement(using: &random.generator) ?? ""
    switch Int.random(in: 0..<(depth > 0 ? 16 : 13), using: &random.generator) {
    case 0: return .equal(path, value())
    case 1: return .notEqual(path, value())
    case 2: return .lessThan(path, value())
    case 3: return .lessThanOrEqual(path, value())
    case 4: return .greaterThan(path, value())
    case 5: return .greaterThanOrEqual(path, value())
    case 6: return .between(path, value(), value())
    case 7: return .isIn(path, (0..<3).map { _ in value() })
    case 8: return .like(path, Self.patterns.randomElement(using: &random.generator) ?? "")
    case 9: return .startsWith(path, text)
    case 10: return .endsWith(path, text)
    case 11: return .contains(path, value())
    case 12: return .exists(path)
    case 13: return .and(filters(depth - 1))
    case 14: return .or(filters(depth - 1))
    default: return .not(filter(depth: depth - 1))
    }
  }

  private mutating func filters(_ depth: Int) -> [Filter] {
    (0..<Int.random(in: 0..<4, using: &random.generator)).map { _ in filter(depth: depth) }
  }
}
