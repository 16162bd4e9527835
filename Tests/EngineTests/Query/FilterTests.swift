import Foundation
import NyaruEngine
import Testing

@Suite struct FilterTests {
  @Test func `filters take values of Swift types and literals`() {
    let (name, date, country) = ("x", Date(timeIntervalSinceReferenceDate: 5), "country")
    let uuid = UUID()
    let filter: Filter = .or([
      .equal("country", "BR"), .equal(country, name), .greaterThan("age", 18),
      .lessThan("createdAt", date), .isIn("tier", ["gold", "platinum"]), .equal("id", uuid),
      .between("score", 1.5, 2.5), .not(.exists("phone")), .equal("x", .null),
    ])
    guard case .or(let filters) = filter else {
      Issue.record("not an or")
      return
    }
    #expect(filters[0] == .equal(FieldPath("country"), .string("BR")))
    #expect(filters[1] == .equal("country", .string("x")))
    #expect(filters[3] == .lessThan("createdAt", .double(5)))
    #expect(filters[5] == .equal("id", .string(uuid.uuidString)))
  }
}
