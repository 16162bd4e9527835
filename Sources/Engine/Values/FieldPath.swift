/// Where a field lies in a document: keys from the outside in, joined with dots.
///
/// `address.city` is the field `city` of the map `address`, `tags.0` the first element of an
/// array. A dot or backslash that belongs to a key is written with a backslash before it. Every
/// text is a path.
public struct FieldPath: Sendable, Hashable {
  /// The keys, from the outside in; there is at least one.
  public let components: [String]

  /// The bytes of the keys, which is what documents are compared with.
  package let keys: [[UInt8]]

  /// A path in the notation with dots.
  public init(_ text: String) {
    self.init(components: Self.components(of: text))
  }

  /// A path of keys, in which a dot is a character like others.
  ///
  /// - Precondition: There is at least one key.
  public init(components: [String]) {
    precondition(!components.isEmpty, "a path has at least one component")
    self.components = components
    keys = components.map { Array($0.utf8) }
  }

  private static func components(of text: String) -> [String] {
    var components: [String] = []
    var component = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        component.append(scalar)
        isEscaped = false
      case "\\": isEscaped = true
      case ".":
        components.append(String(component))
        component = String.UnicodeScalarView()
      default: component.append(scalar)
      }
    }
    if isEscaped { component.append("\\") }
    return components + [String(component)]
  }

  /// Whether both name the same keys, byte for byte.
  public static func == (left: FieldPath, right: FieldPath) -> Bool { left.keys == right.keys }

  /// Feeds the bytes of the keys.
  public func hash(into hasher: inout Hasher) { hasher.combine(keys) }
}

extension FieldPath: ExpressibleByStringLiteral {
  /// A path in the notation with dots.
  public init(stringLiteral value: String) { self.init(value) }
}

extension FieldPath: CustomStringConvertible {
  /// The notation with dots, which reads back as the same path.
  public var description: String {
    let escaped = components.map { component in
      String(
        String.UnicodeScalarView(
          component.unicodeScalars.flatMap { $0 == "." || $0 == "\\" ? ["\\", $0] : [$0] }))
    }
    return escaped.joined(separator: ".")
  }
}
