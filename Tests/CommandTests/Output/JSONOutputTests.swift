import Testing
import nyaru_sync

@Suite struct JSONOutputTests {
  @Test func `fields keep their order`() {
    let value = JSONOutput.object([
      ("z", .integer(1)), ("a", .array([.null, .bool(true), .unsigned(.max)])),
      ("seconds", .seconds(0.12345)), ("document", .text("{\"x\":1}")), ("empty", .object([])),
    ])
    #expect(
      value.line == """
        {"z":1,"a":[null,true,18446744073709551615],"seconds":0.123,"document":{"x":1},"empty":{}}
        """)
  }

  @Test func `strings are escaped`() {
    #expect(
      JSONOutput.string("\"\\/\n\u{1}\u{7F}é👩‍🚀").line == #""\"\\/\n\u0001\u007fé👩‍🚀""#)
  }
}
