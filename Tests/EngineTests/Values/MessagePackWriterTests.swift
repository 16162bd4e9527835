import NyaruEngine
import Testing

@Suite struct MessagePackWriterTests {
  @Test(
    arguments: [
      (.integer(127), "7f"), (.integer(128), "cc 80"), (.integer(256), "cd 01 00"),
      (.integer(65536), "ce 00 01 00 00"), (.integer(1 << 32), "cf 00 00 00 01 00 00 00 00"),
      (.unsigned(.max), "cf ff ff ff ff ff ff ff ff"), (.unsigned(5), "05"), (.integer(-32), "e0"),
      (.integer(-33), "d0 df"), (.integer(-129), "d1 ff 7f"), (.integer(-32769), "d2 ff ff 7f ff"),
      (.integer(.min), "d3 80 00 00 00 00 00 00 00"), (1.5, "cb 3f f8 00 00 00 00 00 00"),
      (.null, "c0"), (false, "c2"), (true, "c3"), ("a", "a1 61"), (.binary([1]), "c4 01 01"),
      ([1, 2], "92 01 02"), (["a": []], "81 a1 61 90"),
    ] as [(DocumentValue, String)])
  func `a value takes its shortest form`(value: DocumentValue, digits: String) throws {
    #expect(hex(try messagePack(value)) == digits)
  }

  @Test(arguments: [0, 1, 15, 16, 17, 65535, 65536])
  func `a container whose count comes last equals one whose count comes first`(
    count: Int
  ) throws {
    var late = MessagePackWriter()
    late.write("before")
    let start = late.beginContainer()
    for index in 0..<count { late.write(Int64(index)) }
    late.endArray(at: start, count: count)
    late.write("behind")

    var early = MessagePackWriter()
    early.write("before")
    early.writeArrayHeader(count: count)
    for index in 0..<count { early.write(Int64(index)) }
    early.write("behind")
    #expect(late.bytes() == early.bytes())
  }
}
