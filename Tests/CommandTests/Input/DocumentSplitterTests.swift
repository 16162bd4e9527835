import TestSupport
import Testing
import nyaru_sync

@Suite struct DocumentSplitterTests {
  private func split(_ text: String, pieces: [Int] = []) throws -> [String] {
    var splitter = DocumentSplitter()
    var found: [SourceText] = []
    var rest = Array(text.utf8)[...]
    for size in pieces {
      found += try splitter.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    found += try splitter.append(Array(rest))
    if let last = splitter.finish() { found.append(last) }
    return found.map { "\($0.line):\($0.indentation) " + String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test func `lines are documents`() throws {
    #expect(
      try split("{\"a\":1}\n\n{\"b\":2}\r\n  {}") == ["1:0 {\"a\":1}", "3:0 {\"b\":2}", "4:2 {}"])
    #expect(try split("") == [])
    #expect(try split(" \n\t\r\n") == [])
  }

  @Test func `documents may follow one another and span lines`() throws {
    #expect(
      try split("{}{\"a\":{}} {\n\"b\":[{}]\n} {}") == [
        "1:0 {}", "1:2 {\"a\":{}}", "1:11 {\n\"b\":[{}]\n}", "3:2 {}",
      ])
  }

  @Test func `braces in strings do not count`() throws {
    let text = #"{"a}":"{\"}\\"}"#
    #expect(try split(text + "\n" + text) == ["1:0 " + text, "2:0 " + text])
  }

  @Test func `what is no document ends with its line`() throws {
    #expect(try split("{}}\n{}") == ["1:0 {}", "1:2 }", "2:0 {}"])
    #expect(try split("1 2\n{}") == ["1:0 1 2", "2:0 {}"])
    #expect(try split("{\"a\n{}") == ["1:0 {\"a", "2:0 {}"])
    #expect(try split("{\"a\\\n{}") == ["1:0 {\"a\\", "2:0 {}"])
  }

  @Test func `an end in the middle is handed over`() throws {
    #expect(try split("{}\n{\"a\":[1,\n2") == ["1:0 {}", "2:0 {\"a\":[1,\n2"])
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `the pieces make no difference`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("{}[]\"\\\n a1,:")
    let text = String((0..<40).map { _ in alphabet.randomElement(using: &random) ?? " " })
    let pieces = (0..<20).map { _ in Int.random(in: 0...4, using: &random) }
    #expect(try split(text, pieces: pieces) == split(text), "seed \(seed): \(text)")
  }

  @Test func `a document without end is refused, with its line`() throws {
    var splitter = DocumentSplitter(textSizeLimit: 3)
    #expect(try splitter.append(Array("{}\n[[[".utf8)).count == 1)
    #expect(throws: DocumentSplitter.TextTooLarge(line: 2)) { try splitter.append([0x5B]) }
  }

  @Test func `a position names the line that the document begins in`() {
    let text = SourceText(bytes: Array("{\"a\":\n x}".utf8), line: 7, indentation: 2)
    #expect(SourcePosition.message("no", in: text, offset: 1) == "line 7: no (byte 4)")
    #expect(SourcePosition.message("no", in: text, offset: 7) == "line 7: no (line 8, byte 2)")
  }
}
