import NyaruEngine
import TestSupport
import Testing

@Suite struct InflaterTests {
  private let text = [UInt8](repeating: 65, count: 500)
  private var compressed: [UInt8] = []

  init() {
    var output: [UInt8] = []
    _ = Deflater().deflate(text.span, into: &output)
    compressed = output
  }

  @Test(arguments: [0, 1, 499, 501, 10_000, -1, Int.max])
  func `a length that is not the right one throws`(size: Int) {
    var output: [UInt8] = [7]
    #expect(throws: FormatError.self) {
      try Inflater().inflate(compressed.span, size: size, into: &output)
    }
    #expect(output == [7])
  }

  @Test func `bytes behind the end throw`() {
    var output: [UInt8] = []
    #expect(throws: FormatError.self) {
      try Inflater().inflate((compressed + [0]).span, size: 500, into: &output)
    }
  }

  @Test func `a length that no deflate data reaches is refused before memory is reserved`() {
    var output: [UInt8] = []
    #expect(throws: FormatError.lengthOutOfRange(1 << 30)) {
      try Inflater().inflate(compressed.span, size: 1 << 30, into: &output)
    }
    #expect(output.capacity == 0)
  }

  @Test func `damaged data throws or has the stated length, and the stream goes on`() throws {
    let inflater = Inflater()
    for bytes in Mutation.flips(of: compressed) + Mutation.truncations(of: compressed) {
      var output: [UInt8] = []
      do throws(FormatError) {
        try inflater.inflate(bytes.span, size: 500, into: &output)
        #expect(output.count == 500)
      } catch {
        #expect(output.isEmpty)
      }
    }
    var output: [UInt8] = []
    try inflater.inflate(compressed.span, size: 500, into: &output)
    #expect(output == text)
  }

  @Test func `a stored empty block is nothing`() throws {
    var output: [UInt8] = []
    try Inflater().inflate([3, 0].span, size: 0, into: &output)
    #expect(output.isEmpty)
  }
}
