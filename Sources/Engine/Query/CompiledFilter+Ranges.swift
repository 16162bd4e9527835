extension CompiledFilter {
  /// Ranges of index keys of a field outside which no document matches, sorted and apart; `nil`
  /// if the filter does not confine the field. What lies inside still has to be tried.
  ///
  /// Keys that an index cut to its limit are inside of every range that their value is in.
  package func keyRanges(for path: FieldPath) -> [KeyRange]? { Self.ranges(of: filter, path) }

  private static func ranges(of filter: Filter, _ path: FieldPath) -> [KeyRange]? {
    switch filter {
    case .equal(path, let value): values(value, value)
    case .lessThan(path, let value), .lessThanOrEqual(path, let value):
      values(nil, value, isOpen: filter.isStrict)
    case .greaterThan(path, let value), .greaterThanOrEqual(path, let value):
      values(value, nil, isOpen: filter.isStrict)
    case .between(path, let lower, let upper): values(lower, upper)
    case .isIn(path, let list): union(list.flatMap { values($0, $0) })
    case .like(path, let pattern): text(TextPattern(like: pattern).prefix)
    case .glob(path, let pattern): text(TextPattern(glob: pattern).prefix)
    case .startsWith(path, let prefix): text(Array(prefix.utf8))
    case .endsWith(path, _): text([])
    case .exists(path): [.all]
    case .and(let filters):
      filters.lazy.compactMap { ranges(of: $0, path) }.reduce(nil) { found, next in
        found.map { intersection($0, next) } ?? next
      }
    case .or(let filters): allRanges(of: filters, path).map(union)
    default: nil
    }
  }

  private static func allRanges(of filters: [Filter], _ path: FieldPath) -> [KeyRange]? {
    var all: [KeyRange] = []
    for filter in filters {
      guard let ranges = ranges(of: filter, path) else { return nil }
      all += ranges
    }
    return all
  }

  private static func text(_ prefix: [UInt8]) -> [KeyRange] {
    let key = [OrderedKey.Tag.string] + prefix
    return [.beginning(with: Array(key.prefix(DocumentLimits.keyPrefixSize)))]
  }

  /// The keys of values between two of one kind; a bound that is `nil` is that of the kind.
  private static func values(
    _ lower: DocumentValue?, _ upper: DocumentValue?, isOpen: Bool = false
  ) -> [KeyRange] {
    guard let kind = (lower ?? upper)?.kind, (upper ?? lower)?.kind == kind else { return [] }
    var range = range(of: kind)
    if let lower {
      guard let bound = bound(lower) else { return [] }
      range.lower = isOpen && !bound.mayBeCut ? bound.key + [0] : bound.key
    }
    if let upper {
      guard let bound = bound(upper) else { return [] }
      range.upper = isOpen && !bound.mayBeCut ? bound.key : bound.key + [0]
    }
    return isEmpty(range) ? [] : [range]
  }

  /// The key of a value as an index holds it, and whether it may stand for other values, too.
  private static func bound(_ value: DocumentValue) -> (key: [UInt8], mayBeCut: Bool)? {
    guard let key = try? OrderedKey.key(of: value) else { return nil }
    let limit = DocumentLimits.keyPrefixSize
    return (Array(key.prefix(limit)), key.count >= limit)
  }

  private static func range(of kind: ValueKind) -> KeyRange {
    switch kind {
    case .null: .beginning(with: [OrderedKey.Tag.null])
    case .bool: KeyRange(from: [OrderedKey.Tag.boolFalse], to: [OrderedKey.Tag.boolTrue + 1])
    case .number: .beginning(with: [OrderedKey.Tag.number])
    case .string: .beginning(with: [OrderedKey.Tag.string])
    case .binary: .beginning(with: [OrderedKey.Tag.binary])
    case .array: .beginning(with: [OrderedKey.Tag.array])
    case .map: .beginning(with: [OrderedKey.Tag.map])
    }
  }

  private static func isEmpty(_ range: KeyRange) -> Bool {
    range.upper.map { !range.lower.lexicographicallyPrecedes($0) } ?? false
  }

  private static func union(_ ranges: [KeyRange]) -> [KeyRange] {
    var result: [KeyRange] = []
    for range in ranges.sorted(by: { $0.lower.lexicographicallyPrecedes($1.lower) }) {
      guard let last = result.last, let end = last.upper else {
        if result.isEmpty { result.append(range) }
        continue
      }
      if end.lexicographicallyPrecedes(range.lower) {
        result.append(range)
      } else {
        result[result.count - 1].upper = range.upper.map { later($0, end) }
      }
    }
    return result
  }

  private static func intersection(_ left: [KeyRange], _ right: [KeyRange]) -> [KeyRange] {
    union(left.flatMap { left in right.compactMap { intersection(left, $0) } })
  }

  private static func intersection(_ left: KeyRange, _ right: KeyRange) -> KeyRange? {
    var range = KeyRange(from: later(left.lower, right.lower), to: left.upper)
    if let end = right.upper {
      range.upper = left.upper.map { $0.lexicographicallyPrecedes(end) ? $0 : end } ?? end
    }
    return isEmpty(range) ? nil : range
  }

  private static func later(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    left.lexicographicallyPrecedes(right) ? right : left
  }
}

extension Filter {
  /// Whether a comparison leaves out its own value.
  fileprivate var isStrict: Bool {
    switch self {
    case .lessThan, .greaterThan: true
    default: false
    }
  }
}
