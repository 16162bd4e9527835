import FoundationEssentials

/// The document that everything is measured with.
struct User: Codable, Sendable, Equatable {
  var id: String
  var name: String
  var city: String
  var age: Int
  var email: String
  var createdAt: Date
  var tags: [String]
  var bio: String

  /// The same user a year older, in the next city: both indexed fields change.
  func moved() -> User {
    var copy = self
    copy.age = age == UserSource.ages.upperBound ? UserSource.ages.lowerBound : age + 1
    let cities = UserSource.cities
    copy.city = cities[((cities.firstIndex(of: city) ?? 0) + 1) % cities.count]
    return copy
  }
}
