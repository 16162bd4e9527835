import NyaruEngine
import TestSupport
import Testing

@Suite struct DeflaterTests {
  private func text(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 97...101, using: &generator) }
  }

  @Test func `what is deflated inflates to the same bytes, in streams that are used again`() throws
  {
    let deflater = Deflater()
    let inflater = Inflater()
    for (index, count) in [40, 300, 5_000, 1_000_000, 64].enumerated() {
      let bytes = text(count, seed: UInt64(index))
      var compressed: [UInt8] = [1]
      let isSmaller = deflater.deflate(bytes.span, into: &compressed)
      #expect(isSmaller)
      #expect(compressed.count < count)
      var expanded: [UInt8] = [2]
      try inflater.inflate(compressed.span.extracting(1...), size: count, into: &expanded)
      #expect(expanded == [2] + bytes)
    }
  }

  @Test(arguments: [0, 1, 2, 5, 1_000])
  func `what would not shrink is left alone`(count: Int) {
    var output: [UInt8] = [1]
    let isSmaller = Deflater().deflate(RandomBytes.next(count).span, into: &output)
    #expect(!isSmaller)
    #expect(output == [1])
  }
}
