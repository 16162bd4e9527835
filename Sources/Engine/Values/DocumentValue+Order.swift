/// The kinds of values, in their order.
package enum ValueKind: UInt8, Comparable, Sendable {
  case null, bool, number, string, binary, array, map

  package static func < (left: ValueKind, right: ValueKind) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension DocumentValue {
  /// The kind, which a range of values never leaves.
  package var kind: ValueKind {
    switch self {
    case .null: .null
    case .bool: .bool
    case .integer, .unsigned, .double: .number
    case .string: .string
    case .binary: .binary
    case .array: .array
    case .map: .map
    }
  }
}

extension DocumentValue: Comparable {
  /// Whether neither value comes before the other.
  public static func == (left: DocumentValue, right: DocumentValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.binary(let left), .binary(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.map(let left), .map(let right)): left == right
    default: numbers(left, right).map { $0 == $1 } ?? false
    }
  }

  /// Whether the left value comes before the right one: null, false, true, numbers, strings,
  /// binaries, arrays, maps.
  public static func < (left: DocumentValue, right: DocumentValue) -> Bool {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): !left && right
    case (.string(let left), .string(let right)):
      left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.binary(let left), .binary(let right)): left.lexicographicallyPrecedes(right)
    case (.array(let left), .array(let right)): left.lexicographicallyPrecedes(right)
    case (.map(let left), .map(let right)): left < right
    default: numbers(left, right).map { $0 < $1 } ?? (left.kind < right.kind)
    }
  }

  private static func numbers(
    _ left: DocumentValue, _ right: DocumentValue
  ) -> (NumberKey, NumberKey)? {
    guard let left = NumberKey(left), let right = NumberKey(right) else { return nil }
    return (left, right)
  }
}

extension DocumentValue: Hashable {
  /// Feeds what equal values have in common.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind.rawValue)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .integer, .unsigned, .double: hasher.combine(NumberKey(self))
    case .string(let value): hasher.combine(value)
    case .binary(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .map(let value): hasher.combine(value)
    }
  }
}

extension DocumentMap: Comparable, Hashable {
  /// Whether both have the same entries, in whatever order.
  public static func == (left: DocumentMap, right: DocumentMap) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left.sorted, right.sorted).allSatisfy {
      $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value
    }
  }

  /// Whether the left map comes before the right one: by their entries, sorted by key.
  public static func < (left: DocumentMap, right: DocumentMap) -> Bool {
    left.sorted.lexicographicallyPrecedes(right.sorted) { left, right in
      left.key.utf8.elementsEqual(right.key.utf8)
        ? left.value < right.value : left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
    }
  }

  /// Feeds the entries, sorted by key.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for (key, value) in sorted {
      hasher.combine(key)
      hasher.combine(value)
    }
  }

  /// The entries in the order of the bytes of their keys.
  package var sorted: [Entry] {
    entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
