import FoundationEssentials

/// Makes users out of numbers: the same number is the same user in every engine and process.
struct UserSource: Sendable {
  static let cities = [
    "Lisbon", "Porto", "São Paulo", "Curitiba", "Berlin", "Tokyo", "Nairobi", "Lima", "Oslo",
    "Quito",
  ]
  static let ages = 18...80

  private static let firstNames = ["Ana", "Bruno", "Carla", "Diego", "Elena", "Farid", "Grace"]
  private static let lastNames = ["Silva", "Tanaka", "Okafor", "Müller", "Rossi", "Novak"]
  private static let words = [
    "writes", "letters", "about", "the", "sea", "and", "small", "boats", "that", "carry", "salt",
    "between", "islands", "where", "nobody", "counts", "hours", "but", "everybody", "knows",
    "wind", "by", "its", "name",
  ].map { Array((" " + $0).utf8) }
  private static let tags = ["admin", "beta", "early", "night", "paid", "quiet", "staff", "team"]

  /// Gives every user the same city and age, for indexes that hold one value alone.
  var sharesValues = false

  static func id(_ number: Int) -> String {
    let digits = String(number)
    return "u" + String(repeating: "0", count: max(0, 7 - digits.count)) + digits
  }

  func user(_ number: Int) -> User {
    var random = SplitMix(seed: UInt64(truncatingIfNeeded: number))
    let first = random.element(of: Self.firstNames)
    let last = random.element(of: Self.lastNames)
    var bio = Array(first.utf8)
    while bio.count < 200 { bio += Self.words[random.below(Self.words.count)] }
    let city = random.element(of: Self.cities)
    let age = Self.ages.lowerBound + random.below(Self.ages.count)
    return User(
      id: Self.id(number), name: "\(first) \(last) \(number)",
      city: sharesValues ? Self.cities[0] : city,
      age: sharesValues ? Self.ages.lowerBound : age,
      email: "\(first.lowercased()).\(number)@example.org",
      createdAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 61.25),
      tags: (0..<3).map { _ in random.element(of: Self.tags) },
      bio: String(decoding: bio, as: UTF8.self))
  }

  func users(_ numbers: some Sequence<Int>) -> [User] { numbers.map(user) }
}

/// A small generator whose stream depends on the seed alone.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func element(of list: [String]) -> String { list[below(list.count)] }
}
