import Foundation
import NyaruEngine
import Testing

/// The tables of `docs/format.md`, which a reader of other languages relies on.
@Suite struct FormatVectorTests {
  /// The rows of the last table of a section: text in code, then digits in code.
  private func rows(of section: String) throws -> [(text: String, digits: String)] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let document = try String(contentsOf: root.appending(path: "docs/format.md"), encoding: .utf8)
    let start = try #require(document.range(of: "\n## \(section)\n"))
    let rest = document[start.upperBound...]
    let text = rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)]
    return text.split(separator: "\n").reversed().prefix { $0.hasPrefix("| `") }.reversed()
      .compactMap { line in
        let cells = line.dropFirst(3).dropLast(3).split(separator: "` | `")
        return cells.count == 2 ? (String(cells[0]), String(cells[1])) : nil
      }
  }

  @Test func `each document of the table is the same in both formats`() throws {
    let rows = try rows(of: "Document bodies")
    #expect(rows.count > 10)
    for (text, digits) in rows {
      let document = try Document(json: text)
      #expect(hex(document.bytes) == digits, "\(text)")
      #expect(document.json() == text)
    }
  }

  @Test func `each value of the table has its key, and the keys are in order`() throws {
    let rows = try rows(of: "Ordered keys")
    #expect(rows.count > 30)
    var last: [UInt8] = []
    for (text, digits) in rows {
      let (value, _) = try JSONText.value(in: Array(text.utf8).span, at: 0)
      let key = try OrderedKey.key(of: value)
      #expect(hex(key) == digits, "\(text)")
      #expect(last.lexicographicallyPrecedes(key), "\(text)")
      #expect(try OrderedKey.decode(key) == value)
      last = key
    }
  }
}
