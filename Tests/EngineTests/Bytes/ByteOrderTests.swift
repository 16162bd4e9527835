import NyaruEngine
import TestSupport
import Testing

@Suite struct ByteOrderTests {
  @Test func `is the order of the standard library`() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      let left = bytes(&random)
      let right = Bool.random(using: &random) ? left.dropLast() + bytes(&random) : bytes(&random)
      let order = ByteOrder.compare(left, right)
      #expect((order < 0) == left.lexicographicallyPrecedes(right))
      #expect((order == 0) == (left == right))
      let shared = ByteOrder.commonPrefixCount(left.span, right.span)
      #expect(left.prefix(shared) == right.prefix(shared))
      #expect(shared == left.count || shared == right.count || left[shared] != right[shared])
    }
  }

  private func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in random.pick([0, 1, 127, 128, 255]) }
  }
}
