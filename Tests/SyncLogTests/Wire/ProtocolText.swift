import Foundation
import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

/// What `protocol.md` says, in the parts that a test can compare.
struct ProtocolText {
  /// A vector of the section "Step by step": its name, and what stands behind the equals sign.
  struct Vector {
    var name: String
    var text: String
  }

  private let text: String

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    text = try String(contentsOf: root.appending(path: "protocol.md"), encoding: .utf8)
  }

  /// The lines of a section, up to the next heading of its level or a higher one.
  func section(_ heading: String) throws -> [Substring] {
    let start = try #require(text.range(of: "\n\(heading)\n"), "\(heading)")
    let marks = heading.prefix { $0 == "#" }.count
    var isCode = false
    return text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { line in
        if line.hasPrefix("```") { isCode.toggle() }
        let level = line.prefix { $0 == "#" }.count
        return isCode || level == 0 || level > marks
      }
  }

  /// The cells of the tables of a section whose first cell is code, without its backquotes.
  func rows(_ heading: String) throws -> [[String]] {
    try section(heading).filter { $0.hasPrefix("| `") }.map { line in
      line.split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
      }
    }
  }

  /// The vectors in order. A vector goes on in lines that are indented; comments follow a `;`.
  func vectors() throws -> [Vector] {
    var vectors: [Vector] = []
    var isCode = false
    for line in try section("### Step by step") {
      if line.hasPrefix("```") { isCode.toggle() }
      guard isCode, !line.hasPrefix("```") else { continue }
      let content = line.prefix { $0 != ";" }
      if line.hasPrefix("  ") {
        vectors[vectors.count - 1].text += content
      } else if let equals = content.range(of: " =") {
        vectors.append(
          Vector(
            name: String(content[..<equals.lowerBound]),
            text: content[equals.upperBound...].trimmingCharacters(in: .whitespaces)))
      }
    }
    return vectors
  }

  func bytes(_ name: String) throws -> [UInt8] {
    let vector = try #require(try vectors().first { $0.name == name }, "\(name)")
    return Hex.bytes(vector.text)
  }

  func identity(_ name: String) throws -> Identity {
    try #require(Identity(try bytes(name)), "\(name)")
  }
}

/// The form of a state in the vectors of merges: what its state tag is the hash of.
enum StateForm {
  static func state(_ bytes: [UInt8]) throws -> RecordState {
    var reader = ByteReader(bytes.span)
    let vector = try VersionVector(from: &reader)
    var entries: [StandingEntry] = []
    for _ in 0..<(try reader.readVarint()) {
      let dot = try Dot(from: &reader)
      let tag = try reader.readUInt64().byteSwapped
      entries.append(StandingEntry(dot: dot, tag: tag, time: 0, format: .messagePack, body: []))
    }
    #expect(reader.remaining == 0)
    return RecordState(vector: vector, entries: entries)
  }
}
