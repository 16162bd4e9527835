/// Values, maps and documents as what any coder can take; our own coders go a shorter way.
extension DocumentValue: Codable {
  /// Encodes the value as what it is; bytes become an array of numbers.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    case .map(let map): try map.encode(to: encoder)
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .integer(let value): try value.encode(to: encoder)
    case .unsigned(let value): try value.encode(to: encoder)
    case .double(let value): try value.encode(to: encoder)
    case .string(let value): try value.encode(to: encoder)
    case .binary(let value): try value.encode(to: encoder)
    }
  }

  /// Decodes whatever kind of value is there.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: DocumentKey.self) {
      self = .map(try DocumentMap(from: container))
    } else if var container = try? decoder.unkeyedContainer() {
      var values: [DocumentValue] = []
      while !container.isAtEnd { values.append(try container.decode(DocumentValue.self)) }
      self = .array(values)
    } else {
      self = try Self.scalar(try decoder.singleValueContainer())
    }
  }

  private static func scalar(
    _ container: any SingleValueDecodingContainer
  ) throws -> DocumentValue {
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int64.self) { return .integer(value) }
    if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
    if let value = try? container.decode(Double.self) { return .double(value) }
    return .string(try container.decode(String.self))
  }
}

extension DocumentMap: Codable {
  /// Encodes the entries under their keys.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DocumentKey.self)
    for (key, value) in entries {
      try container.encode(value, forKey: DocumentKey(stringValue: key))
    }
  }

  /// Decodes all entries.
  public init(from decoder: any Decoder) throws {
    try self.init(from: try decoder.container(keyedBy: DocumentKey.self))
  }

  init(from container: KeyedDecodingContainer<DocumentKey>) throws {
    self.init(
      try container.allKeys.map { key in
        (key.stringValue, try container.decode(DocumentValue.self, forKey: key))
      })
  }
}

extension Document: Codable {
  /// Encodes the fields.
  public func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }

  /// Decodes all fields.
  public init(from decoder: any Decoder) throws {
    try self.init(try DocumentMap(from: decoder))
  }
}
