import Foundation
import NyaruEngine
import Testing

@Suite struct PredicateTests {
  private enum Tier: String, Codable { case gold, silver }

  private struct Address: Codable { var city: String }

  private struct User: Codable {
    var age: Int
    var name: String
    var tags: [String] = []
    var phone: String?
    var isActive = true
    var score = 0.5
    var tier = Tier.gold
    var createdAt = Date(timeIntervalSinceReferenceDate: 0)
    var address = Address(city: "Recife")
  }

  private let users = [
    User(age: 17, name: "Ana", tags: ["x", "y"], phone: "1"),
    User(age: 18, name: "Bea", isActive: false, score: 1.5, tier: .silver),
    User(
      age: 40, name: "Anabel", tags: ["y"], createdAt: Date(timeIntervalSinceReferenceDate: 100),
      address: Address(city: "Berlin")),
  ]

  /// The filter finds the users that the predicate itself finds.
  private func check(
    _ predicate: Predicate<User>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let filter = CompiledFilter(try Filter(predicate))
    var count = 0
    for user in users {
      let body = try DocumentEncoder().encode(user)
      let expected = try predicate.evaluate(user)
      #expect(
        try filter.matches(body, format: .messagePack) == expected, "\(user) \(filter.filter)",
        sourceLocation: sourceLocation)
      count += expected ? 1 : 0
    }
    #expect((1..<users.count).contains(count), "tells apart", sourceLocation: sourceLocation)
  }

  @Test func `a predicate finds the same documents as a filter`() throws {
    let (name, ages, ageSet, limit) = ("Ana", [18, 40], Set([17]), 18)
    let (tier, date) = (Tier.silver, Date(timeIntervalSinceReferenceDate: 50))
    try check(#Predicate { $0.age >= 18 })
    try check(#Predicate { limit < $0.age })
    try check(#Predicate { $0.age <= limit && $0.name != name })
    try check(#Predicate { $0.age > 18 || $0.name == name })
    try check(#Predicate { !($0.age == 17) })
    try check(#Predicate { ages.contains($0.age) })
    try check(#Predicate { ageSet.contains($0.age) })
    try check(#Predicate { (18...39).contains($0.age) })
    try check(#Predicate { (17..<18).contains($0.age) })
    try check(#Predicate { $0.name.contains("nab") })
    try check(#Predicate { $0.name.starts(with: "Ana") })
    try check(#Predicate { $0.tags.contains("x") })
    try check(#Predicate { $0.phone == nil })
    try check(#Predicate { $0.phone != nil })
    try check(#Predicate { $0.phone == "1" })
    try check(#Predicate { $0.phone != "1" })
    try check(#Predicate { $0.isActive })
    try check(#Predicate { !$0.isActive && true })
    try check(#Predicate { $0.score > 1.0 })
    try check(#Predicate { $0.tier == tier })
    try check(#Predicate { $0.createdAt > date })
    try check(#Predicate { $0.address.city == "Berlin" })
  }

  @Test func `null and missing are both nil`() throws {
    let isNil = CompiledFilter(try Filter(#Predicate<User> { $0.phone == nil }))
    let isThere = CompiledFilter(try Filter(#Predicate<User> { $0.phone != nil }))
    for (text, expected) in [("{}", true), (#"{"phone":null}"#, true), (#"{"phone":"1"}"#, false)] {
      let body = try Document(json: text).bytes
      #expect(try isNil.matches(body, format: .messagePack) == expected)
      #expect(try isThere.matches(body, format: .messagePack) == !expected)
    }
  }

  @Test func `what a filter cannot say is refused`() {
    #expect(throws: UnsupportedPredicate.self) {
      try Filter(#Predicate<User> { $0.age + 1 == 18 })
    }
    #expect(throws: UnsupportedPredicate.self) {
      try Filter(#Predicate<User> { $0.name == $0.address.city })
    }
    #expect(throws: UnsupportedPredicate.self) {
      try Filter(#Predicate<User> { $0.name.count == 3 && $0.tags.isEmpty })
    }
    #expect(throws: UnsupportedPredicate.self) {
      try Filter(#Predicate<User> { $0.tags[0] == "x" })
    }
  }

  @Test func `a key path names its field`() throws {
    #expect(try FieldPath(\User.age) == "age")
    #expect(try FieldPath(\User.address.city) == "address.city")
    #expect(try FieldPath(\User.phone) == "phone")
    #expect(throws: UnsupportedPredicate.self) { try FieldPath(\User.tags[0]) }
    #expect(throws: UnsupportedPredicate.self) { try FieldPath(\User.self) }
  }
}
