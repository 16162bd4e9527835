import NyaruEngine
import TestSupport
import Testing

@Suite struct KeyTextTests {
  private let key = SecretKey(Array(0..<32).span)

  /// The texts of docs/format.md.
  @Test(arguments: [
    (
      KeyText.Kind.vault, "nyaru-vault1-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dyp7csmfim"
    ),
    (.key, "nyaru-key1-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypuaayfri"),
    (.token, "nyaru-token1-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypykdtgca"),
  ])
  func `a key comes back from its text`(kind: KeyText.Kind, text: String) throws {
    #expect(KeyText.encode(key, as: kind) == text)
    #expect(try KeyText.decode("\n \(text)\r\n", as: kind).exportBytes() == Array(0..<32))
  }

  @Test func `one kind is not taken for another`() {
    for kind in KeyText.Kind.allCases {
      for other in KeyText.Kind.allCases where other != kind {
        let text = KeyText.encode(key, as: other)
        #expect(throws: KeyText.Failure.wrongKind(found: other, expected: kind)) {
          try KeyText.decode(text, as: kind)
        }
        let renamed = "nyaru-\(kind.rawValue)1-" + text.split(separator: "-")[2]
        #expect(throws: KeyText.Failure.damaged(kind)) { try KeyText.decode(renamed, as: kind) }
      }
    }
  }

  @Test func `a typing error is found`() {
    let text = Array(KeyText.encode(key, as: .key).utf8)
    for index in 11..<text.count {
      for letter in Array("abcdefghijklmnopqrstuvwxyz234567018A-".utf8)
      where letter != text[index] {
        var typed = text
        typed[index] = letter
        #expect(throws: KeyText.Failure.self) {
          try KeyText.decode(String(decoding: typed, as: UTF8.self), as: .key)
        }
      }
    }
    for count in 0..<text.count {
      #expect(throws: KeyText.Failure.self) {
        try KeyText.decode(String(decoding: text.prefix(count), as: UTF8.self), as: .key)
      }
    }
  }

  @Test(arguments: ["", " ", "nyaru", "nyaru-key2-abc", "hello", "nyaru-key-abc"])
  func `what is no key is called so`(text: String) {
    #expect(throws: KeyText.Failure.notAKey(expected: .vault)) {
      try KeyText.decode(text, as: .vault)
    }
  }
}
