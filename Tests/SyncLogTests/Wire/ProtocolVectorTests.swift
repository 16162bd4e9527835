import Foundation
import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

/// The test vectors of `protocol.md`, on which clients in other languages rely.
@Suite struct ProtocolVectorTests {
  private let vectors = ProtocolVectors()

  /// The rows of the vector table: a name, and the digits.
  private func rows() throws -> [(name: String, digits: String)] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let document = try String(contentsOf: root.appending(path: "protocol.md"), encoding: .utf8)
    let start = try #require(document.range(of: "\n## Test vectors\n"))
    return document[start.upperBound...].split(separator: "\n").compactMap { line in
      guard line.hasPrefix("| "), line.hasSuffix("` |"),
        let cut = line.range(of: " | `", options: .backwards)
      else { return nil }
      return (
        String(line[line.index(line.startIndex, offsetBy: 2)..<cut.lowerBound]),
        String(line[cut.upperBound...].dropLast(3))
      )
    }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func `each row is what the code writes`() throws {
    let rows = try rows()
    let expected = try vectors.all()
    #expect(rows.map(\.name) == expected.map(\.name))
    for (row, value) in zip(rows, expected) {
      #expect(row.digits == hex(value.bytes), "\(row.name)")
    }
  }

  @Test func `each envelope and message of the table reads`() throws {
    let rows = Dictionary(try rows().map { ($0.name, Hex.bytes($0.digits)) }) { first, _ in first }
    func bytes(_ name: String) throws -> [UInt8] { try #require(rows[name]) }
    let sealer = try EnvelopeSealer(keys: vectors.keys, collection: vectors.collection)
    let envelope = try bytes("envelope")
    let opened = try sealer.open(envelope.span)
    #expect(opened.state == vectors.state && opened.idKey == vectors.idKey)
    let deletion = try bytes("envelope of a deletion")
    let openedDeletion = try sealer.open(deletion.span)
    #expect(openedDeletion.group == 7 && openedDeletion.state == vectors.deletion)
    let catalog = try bytes("catalog envelope")
    let openedCatalog = try sealer.open(catalog.span)
    #expect(try Catalog(openedCatalog.state).name == "things")

    #expect(try SessionRequest(decoding: bytes("session request")).claims == [vectors.claim])
    #expect(
      try SessionAnswer(decoding: bytes("session answer")).collections == [vectors.status])
    #expect(try PullRequest(decoding: bytes("pull request")).since == 300)
    #expect(try PullPage(decoding: bytes("pull answer")).envelopes[0] == deletion)
    #expect(try PushRequest(decoding: bytes("push request")).pushedThrough == 6)
    #expect(try PushAnswer(decoding: bytes("push answer")).outcomes == [.stored])
    #expect(try FetchRequest(decoding: bytes("fetch request")).records.count == 1)
    #expect(try FetchAnswer(decoding: bytes("fetch answer")).envelopes[0] == catalog)
  }
}
