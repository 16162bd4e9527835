import FoundationEssentials

/// Files in the folder `Fixtures` of a test target.
package enum Fixture {
  /// What cannot be read.
  package struct Missing: Error { package let path: String }

  /// The bytes that a fixture gives as hexadecimal text.
  package static func hex(_ name: String, for test: String = #filePath) throws -> [UInt8] {
    let parts = test.split(separator: "/", omittingEmptySubsequences: false)
    let target = parts.prefix(through: (parts.lastIndex { $0.hasSuffix("Tests") }) ?? 0)
    let path = target.joined(separator: "/") + "/Fixtures/" + name + ".hex"
    guard let text = FileManager.default.contents(atPath: path) else { throw Missing(path: path) }
    return Hex.bytes(String(decoding: text, as: UTF8.self))
  }
}
