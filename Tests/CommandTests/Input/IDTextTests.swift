import NyaruEngine
import Testing
import nyaru_sync

@Suite struct IDTextTests {
  @Test(arguments: [
    ("a", [DocumentValue.string("a")]),
    ("", [.string("")]),
    ("1", [.string("1"), .integer(1)]),
    ("-7", [.string("-7"), .integer(-7)]),
    (
      "9223372036854775808", [.string("9223372036854775808"), .unsigned(9_223_372_036_854_775_808)]
    ),
    ("18446744073709551616", [.string("18446744073709551616")]),
    ("007", [.string("007")]), ("+1", [.string("+1")]), ("1.0", [.string("1.0")]),
  ])
  func `a word is a string first and a whole number next`(
    word: String, expected: [DocumentValue]
  ) {
    #expect(IDText.candidates(for: word) == expected)
  }
}
