import NyaruEngine
import TestSupport
import Testing

@Suite struct ChecksumTests {
  /// The definition: one bit after the other through the reflected polynomial.
  private static func definition(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var register = UInt32.max
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~register
  }

  @Test func `the check value of the standard comes out`() {
    #expect(Checksum.of(Array("123456789".utf8).span) == 0xCBF4_3926)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `every size, start and cut gives what the definition says`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = (0..<400).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    for size in 0...300 {
      let start = Int.random(in: 0..<100, using: &random)
      let cut = Int.random(in: 0...size, using: &random)
      var checksum = Checksum()
      checksum.update(bytes[start..<start + cut].span)
      checksum.update(bytes[start + cut..<start + size].span)
      #expect(checksum.value == Self.definition(bytes[start..<start + size]), "size \(size)")
    }
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `a difference is carried over whatever follows`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var shift = ChecksumShift()
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
    func difference(_ left: [UInt8], _ right: [UInt8]) -> UInt32 {
      Checksum.of(left.span) ^ Checksum.of(right.span)
    }
    for count in Array(0...70) + [4095, 4096, 10_000] {
      let (left, right, rest) = (bytes(48), bytes(48), bytes(count))
      let before = difference(left, right)
      let after = difference(left + rest, right + rest)
      #expect(shift(before, by: count) == after, "\(count) bytes")
      let number = UInt32.random(in: .min ... .max, using: &random)
      let zeros = [UInt8](repeating: 0, count: 4 + count)
      let digits = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      let behind = shift(number, by: 4 + count)
      #expect(behind == difference(digits + zeros[4...], zeros), "\(count) bytes behind a number")
    }
  }
}
