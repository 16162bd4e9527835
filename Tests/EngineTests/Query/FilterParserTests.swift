import NyaruEngine
import Testing

@Suite struct FilterParserTests {
  @Test(
    arguments: [
      ("age == 5", .equal("age", 5)), ("age!=5", .notEqual("age", 5)),
      ("a < -1.5e3", .lessThan("a", -1500.0)), ("a<=null", .lessThanOrEqual("a", .null)),
      (#"a > "x\"y""#, .greaterThan("a", #"x"y"#)), ("a>=true", .greaterThanOrEqual("a", true)),
      ("a == [1,{\"b\":null}]", .equal("a", [1, ["b": .null]])),
      ("a == 18446744073709551615", .equal("a", .unsigned(.max))),
      (#"country in ("BR", "PT")"#, .isIn("country", ["BR", "PT"])), ("a in ()", .isIn("a", [])),
      ("a not in (1)", .not(.isIn("a", [1]))), (#"a like "x%""#, .like("a", "x%")),
      (#"a NOT LIKE "x%""#, .not(.like("a", "x%"))), (#"a glob "*x""#, .glob("a", "*x")),
      (#"a startswith "x""#, .startsWith("a", "x")), (#"a endswith "x""#, .endsWith("a", "x")),
      ("tags contains \"x\"", .contains("tags", "x")), ("exists a.b", .exists("a.b")),
      ("not exists a", .not(.exists("a"))), ("not not exists a", .not(.not(.exists("a")))),
      ("a == 1 and b == 2 and c == 3", .and([.equal("a", 1), .equal("b", 2), .equal("c", 3)])),
      (
        "a == 1 or b == 2 and c == 3",
        .or([.equal("a", 1), .and([.equal("b", 2), .equal("c", 3)])])
      ),
      (
        "(a == 1 or b == 2) and not c == 3",
        .and([.or([.equal("a", 1), .equal("b", 2)]), .not(.equal("c", 3))])
      ),
      ("not a == 1 and b == 2", .and([.not(.equal("a", 1)), .equal("b", 2)])),
      (#""a b.c" == 1"#, .equal(FieldPath(components: ["a b", "c"]), 1)),
      (#""in" == 1"#, .equal("in", 1)), (#"a\.b == 1"#, .equal(FieldPath(components: ["a.b"]), 1)),
      (#"a\ b == 1"#, .equal(FieldPath(components: ["a b"]), 1)),
      ("größe == 1", .equal("größe", 1)), ("in.or == 1", .equal("in.or", 1)),
      ("  a\t==\n1  ", .equal("a", 1)), ("not_a == 1", .equal("not_a", 1)),
      ("a==1and b==2", nil), ("tags.0 == 1", .equal("tags.0", 1)),
    ] as [(String, Filter?)])
  func `an expression is a filter`(text: String, filter: Filter?) throws {
    guard let filter else {
      #expect(throws: FilterSyntaxError.self) { try Filter(parsing: text) }
      return
    }
    #expect(try Filter(parsing: text) == filter)
  }

  @Test(arguments: [
    ("", 0), ("a", 1), ("a =", 2), ("a = 1", 2), ("a == BR", 5), ("a == 'BR'", 5), ("a == ", 5),
    ("a == 1 b == 2", 7), ("(a == 1", 7), ("a == 1)", 6), ("a in 1", 5), ("a in (1 2)", 8),
    ("a like 5", 7), ("and == 1", 0), ("a == 1 and", 10), ("a == \"é\" é", 9), ("a <> 1", 3),
    ("a not == 1", 6), ("a == {\"x\":1,\"x\":2}", 12), ("== 1", 0), ("exists", 6), ("not", 3),
    ("a == nullx", 5), ("a ! 1", 2), ("a == \"x", 7),
  ])
  func `what is wrong is an error with its place`(text: String, position: Int) {
    let error = #expect(throws: FilterSyntaxError.self) { try Filter(parsing: text) }
    #expect(error?.position == position, "\(error.map { "\($0)" } ?? "")")
  }

  @Test func `an error shows the place with a caret`() {
    let error = #expect(throws: FilterSyntaxError.self) { try Filter(parsing: "größe = 5") }
    #expect(error?.description == "expected ==, not =\n  größe = 5\n        ^")
  }

  @Test func `deep and long expressions are refused`() {
    let deep = String(repeating: "(", count: 10_000) + "a == 1"
    #expect(throws: FilterSyntaxError.self) { try Filter(parsing: deep) }
    let negations = String(repeating: "not ", count: 10_000) + "a == 1"
    #expect(throws: FilterSyntaxError.self) { try Filter(parsing: negations) }
    let long = "a == \"" + String(repeating: "x", count: DocumentLimits.expressionSize) + "\""
    #expect(throws: FilterSyntaxError.self) { try Filter(parsing: long) }
  }
}
