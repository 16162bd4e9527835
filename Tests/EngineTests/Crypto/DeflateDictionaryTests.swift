import NyaruEngine
import TestSupport
import Testing

@Suite struct DeflateDictionaryTests {
  private func message(_ number: Int) -> [UInt8] {
    Array(#"{"id":"user-\#(number)","email":"user\#(number * 7)@example.org","country":"BR"}"#.utf8)
  }

  @Test func `what is deflated with a dictionary inflates with it, and is smaller`() throws {
    let dictionary = DeflateDictionary(version: 1, samples: (0..<20).map(message))
    let (deflater, inflater) = (Deflater(), Inflater())
    for number in 100..<150 {
      let bytes = message(number)
      var (plain, small): ([UInt8], [UInt8]) = ([], [])
      _ = deflater.deflate(bytes.span, into: &plain)
      let isSmaller = deflater.deflate(bytes.span, dictionary: dictionary.bytes, into: &small)
      #expect(isSmaller)
      #expect(small.count * 2 < (plain.isEmpty ? bytes.count : plain.count))
      var expanded: [UInt8] = []
      try inflater.inflate(
        small.span, size: bytes.count, dictionary: dictionary.bytes, into: &expanded)
      #expect(expanded == bytes)
    }
  }

  @Test func `without the dictionary nothing is made up`() throws {
    let dictionary = DeflateDictionary(version: 1, samples: (0..<20).map(message))
    var small: [UInt8] = []
    _ = Deflater().deflate(message(5).span, dictionary: dictionary.bytes, into: &small)
    var output: [UInt8] = [7]
    #expect(throws: FormatError.self) {
      try Inflater().inflate(small.span, size: message(5).count, into: &output)
    }
    #expect(output == [7])
    // The stream goes on, without a dictionary that an earlier call had.
    let inflater = Inflater()
    try inflater.inflate(
      small.span, size: message(5).count, dictionary: dictionary.bytes, into: &output)
    #expect(output == [7] + message(5))
    #expect(throws: FormatError.self) {
      try inflater.inflate(small.span, size: message(5).count, into: &output)
    }
  }

  @Test(arguments: [1, 3, 4, 64, 1_000])
  func `a dictionary takes pieces from all over the samples, up to its limit`(count: Int) {
    let samples = (0..<count).map { [UInt8](repeating: UInt8($0 % 251), count: 5_000) }
    let dictionary = DeflateDictionary(version: 1, samples: samples)
    let used = min(count, 4)
    #expect(dictionary.bytes.count == used * DeflateDictionary.sampleSizeLimit)
    #expect(Set(dictionary.bytes).count == used)
  }

  @Test func `a dictionary is worth it only where documents become clearly smaller`() {
    let like = DeflateDictionary(version: 1, samples: (0..<20).map(message))
    let messages = (200..<230).map(message)
    #expect(like.isWorthwhile(for: messages, insteadOf: nil))
    #expect(!like.isWorthwhile(for: messages, insteadOf: like))
    let noise = (0..<30).map { _ in RandomBytes.next(100) }
    let other = DeflateDictionary(version: 1, samples: noise)
    #expect(!other.isWorthwhile(for: messages, insteadOf: nil))
    #expect(!other.isWorthwhile(for: (0..<30).map { _ in RandomBytes.next(100) }, insteadOf: nil))
  }
}
