import NyaruEngine
import TestSupport
import Testing

@Suite struct SealerTests {
  private func key(_ byte: UInt8) -> SecretKey {
    SecretKey([UInt8](repeating: byte, count: 32).span)
  }

  /// The vectors of the specification (c2sp.org/XAES-256-GCM), one for each value of the top bit.
  @Test(arguments: [
    (1 as UInt8, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
    (3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
  ])
  func `the published vectors hold`(byte: UInt8, label: String, sealed: String) throws {
    let nonce = Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8)
    let text = Array("XAES-256-GCM".utf8)
    let data = Array(label.utf8)

    let result = try XAES256GCM.seal(
      text.span, key: key(byte), nonce: nonce, associatedData: data.span)

    #expect(Hex.text(result) == sealed)
    let opened = try XAES256GCM.open(
      result.span, key: key(byte), nonce: nonce, associatedData: data.span)
    #expect(opened == text)
  }

  /// Messages of many lengths; the specification gives the hash over all their ciphertexts.
  @Test func `the accumulated vector of the specification holds`() throws {
    var inputs = SHAKE128()
    var hash = SHAKE128()
    for _ in 0..<10_000 {
      let sealer = try Sealer(key: SecretKey(inputs.read(32).span))
      let nonce = inputs.read(24)
      let plaintext = inputs.read(Int(inputs.read(1)[0]))
      let data = inputs.read(Int(inputs.read(1)[0]))
      var sealed: [UInt8] = []
      var opened: [UInt8] = []
      try sealer.seal(plaintext.span, nonce: nonce.span, associatedData: data.span, into: &sealed)
      try sealer.open(sealed.span, nonce: nonce.span, associatedData: data.span, into: &opened)
      #expect(opened == plaintext)
      hash.absorb(sealed)
    }
    let expected = "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939"
    #expect(Hex.text(hash.read(32)) == expected)
  }

  @Test func `a flipped bit anywhere does not open and leaves the output alone`() throws {
    let sealer = try Sealer(key: key(7))
    let nonce = RandomBytes.next(24)
    let data: [UInt8] = [1, 2, 3]
    var sealed: [UInt8] = []
    let text: [UInt8] = [9, 9, 9]
    try sealer.seal(text.span, nonce: nonce.span, associatedData: data.span, into: &sealed)

    func refuses(_ sealed: [UInt8], _ nonce: [UInt8], _ data: [UInt8]) {
      var output: [UInt8] = [42]
      #expect(throws: CryptoError.authenticationFailed) {
        try sealer.open(sealed.span, nonce: nonce.span, associatedData: data.span, into: &output)
      }
      #expect(output == [42])
    }
    for bit in 0..<sealed.count * 8 { refuses(Mutation.flip(bit, in: sealed), nonce, data) }
    for bit in 0..<nonce.count * 8 { refuses(sealed, Mutation.flip(bit, in: nonce), data) }
    for bit in 0..<data.count * 8 { refuses(sealed, nonce, Mutation.flip(bit, in: data)) }
    for count in 0..<sealed.count { refuses(Array(sealed.prefix(count)), nonce, data) }

    var opened: [UInt8] = []
    try sealer.open(sealed.span, nonce: nonce.span, associatedData: data.span, into: &opened)
    #expect(opened == [9, 9, 9])
  }

  @Test func `messages append to what is there`() throws {
    let sealer = try Sealer(key: key(7))
    let nonce = RandomBytes.next(24)
    let none: [UInt8] = []
    var output: [UInt8] = [1]
    try sealer.seal(none.span, nonce: nonce.span, associatedData: none.span, into: &output)
    #expect(output.count == 1 + XAES256GCM.tagSize)
    var opened: [UInt8] = [2]
    let sealed = output.span.extracting(1...)
    try sealer.open(sealed, nonce: nonce.span, associatedData: none.span, into: &opened)
    #expect(opened == [2])
  }

  @Test func `a box carries its nonce, which is new each time`() throws {
    let box = try XAES256GCM.sealBox([1, 2, 3], key: key(7), associatedData: [4])
    #expect(box.count == 3 + XAES256GCM.overhead)
    #expect(try XAES256GCM.sealBox([1, 2, 3], key: key(7), associatedData: [4]) != box)
    #expect(try XAES256GCM.openBox(box, key: key(7), associatedData: [4]) == [1, 2, 3])
    for damaged in Mutation.flips(of: box) + Mutation.truncations(of: box) + [[]] {
      #expect(throws: CryptoError.authenticationFailed) {
        try XAES256GCM.openBox(damaged, key: key(7), associatedData: [4])
      }
    }
  }

  @Test(arguments: [0, 12, 23, 25])
  func `a nonce of another size throws`(count: Int) throws {
    let sealer = try Sealer(key: key(7))
    let nonce = [UInt8](repeating: 0, count: count)
    let text = [UInt8](repeating: 0, count: 17)
    var output: [UInt8] = []
    #expect(throws: CryptoError.invalidNonceSize(count)) {
      try sealer.seal(text.span, nonce: nonce.span, associatedData: text.span, into: &output)
    }
    #expect(throws: CryptoError.invalidNonceSize(count)) {
      try sealer.open(text.span, nonce: nonce.span, associatedData: text.span, into: &output)
    }
  }
}
