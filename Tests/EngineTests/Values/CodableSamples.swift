import Foundation

/// Types that use all of what `Codable` allows.
enum Samples {
  struct Numbers: Codable, Equatable {
    var int8: Int8 = .min
    var int16: Int16 = .min
    var int32: Int32 = .min
    var int64: Int64 = .min
    var int: Int = .max
    var uint8: UInt8 = .max
    var uint16: UInt16 = .max
    var uint32: UInt32 = .max
    var uint64: UInt64 = .max
    var uint: UInt = .max
    var float: Float = 0.1
    var double: Double = 0.1
    var bool = true
  }

  struct Optionals: Codable, Equatable {
    struct Inner: Codable, Equatable { var value: Int? }
    var int: Int?
    var string: String?
    var double: Double?
    var bool: Bool?
    var float: Float?
    var int64: Int64?
    var date: Date?
    var inner: Inner?
    var nested: Int??
    var list: [Int?] = []
    var map: [String: Int?] = [:]
  }

  enum Payload: Codable, Equatable {
    case none
    case one(Int)
    case named(x: Int, y: String?)
    indirect case tree(left: Payload, right: Payload)
  }

  enum Color: String, Codable, CodingKeyRepresentable {
    case red, green
  }

  struct Dictionaries: Codable, Equatable {
    var strings: [String: Int] = [:]
    var integers: [Int: String] = [:]
    var uuids: [UUID: Int] = [:]
    var enums: [Color: Int] = [:]
    var nested: [String: [String: [Int]]] = [:]
  }

  struct FoundationTypes: Codable, Equatable {
    var data = Data([0, 1, 255])
    var date = Date(timeIntervalSinceReferenceDate: 700_000_000.123456789)
    var uuid = UUID()
    var url = URL(string: "https://example.com/ä?q=1#f")
    var decimals: [Decimal] = []
    var range: Range<Int> = 1..<5
    var set: Set<Int> = [1, 2, 3]
    var dates: [Date] = [.distantPast, .distantFuture, Date(timeIntervalSince1970: 0)]
  }

  struct Bytes: Codable, Equatable {
    var bytes: [UInt8] = [0, 1, 255]
    var integers: [Int] = [.min, -1, 0, .max]
    var doubles: [Double] = [0, -0.0, .infinity]
    var nested: [[Int]] = [[], [1], [2, 3]]
  }

  class Animal: Codable {
    var name: String
    init(name: String) { self.name = name }
  }

  /// A subclass that encodes its superclass beside itself, as a value of its own.
  final class Dog: Animal {
    var age: Int

    init(name: String, age: Int) {
      self.age = age
      super.init(name: name)
    }

    enum CodingKeys: CodingKey { case age }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      age = try container.decode(Int.self, forKey: .age)
      try super.init(from: try container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      let parent = container.superEncoder()
      try container.encode(age, forKey: .age)
      try super.encode(to: parent)
    }
  }

  /// A subclass whose fields lie beside those of its superclass, in the same map.
  final class Cat: Animal {
    var lives: Int

    init(name: String, lives: Int) {
      self.lives = lives
      super.init(name: name)
    }

    enum CodingKeys: CodingKey { case lives }

    required init(from decoder: any Decoder) throws {
      lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(lives, forKey: .lives)
    }
  }

  /// A key that is any string.
  struct AnyKey: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
    init(stringLiteral value: String) { stringValue = value }
  }

  /// A type that encodes what it is told to, by hand.
  struct Custom: Encodable {
    let body: (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try body(encoder) }
  }

  /// A type that decodes what it is told to, by hand.
  struct Probe: Decodable {
    let decoder: any Decoder
    init(from decoder: any Decoder) throws { self.decoder = decoder }
  }

  /// A list that is as deep as it is long.
  final class Node: Codable {
    var next: Node?
    init(next: Node?) { self.next = next }

    static func chain(_ count: Int) -> Node {
      var node = Node(next: nil)
      for _ in 1..<count { node = Node(next: node) }
      return node
    }
  }
}

/// Anything as a document, since the top level has to be a map.
struct Box<Value: Codable>: Codable {
  var value: Value
}
