import NyaruSyncLog
import Testing

@Suite struct PaddingTests {
  @Test func `sizes go up to numbers with few significant bits`() {
    // From the definition of Padmé: 2^E, with as many free bits as E has digits.
    let expected = [
      (0, 0), (1, 1), (2, 2), (7, 7), (9, 10), (100, 104), (129, 144), (1000, 1024),
      (1025, 1088), (1_000_000, 1_015_808),
    ]
    for (size, padded) in expected { #expect(Padding.padded(size) == padded, "\(size)") }
  }

  @Test func `padding is small, stable and grows`() {
    var last = 0
    for size in 0..<20_000 {
      let padded = Padding.padded(size)
      #expect(padded >= size && padded >= last)
      #expect(Padding.padded(padded) == padded)
      #expect(Double(padded) <= Double(size) * 1.12 + 1)
      last = padded
    }
  }
}
