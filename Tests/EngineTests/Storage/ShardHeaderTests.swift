import NyaruEngine
import TestSupport
import Testing

@Suite struct ShardHeaderTests {
  private static let header = ShardHeader(
    fileID: .max, collectionID: Array(0..<16), born: 7, replaces: 8)

  @Test func `a header comes back`() throws {
    #expect(try ShardHeader(Self.header.encode().span) == Self.header)
  }

  @Test func `every flipped bit and every cut is found`() {
    let bytes = Self.header.encode()
    for mutant in Mutation.flips(of: bytes) + Mutation.truncations(of: bytes) {
      #expect(throws: FormatError.self) { try ShardHeader(mutant.span) }
    }
  }

  @Test(arguments: ["default.00000000000000ff", "%2e%2e.ffffffffffffffff", "h00.0000000000000001"])
  func `a name comes back`(text: String) throws {
    let name = try #require(ShardName(text))
    #expect(name.fileName == text)
    #expect(name.isCompacted == (name.fileID % 2 == 1))
  }

  @Test(arguments: [
    "default", "default.ff", "default.00000000000000FF", "p.+000000000000001", ".", "",
  ])
  func `another file's name is none`(text: String) {
    #expect(ShardName(text) == nil)
  }
}
