import NyaruEngine
import TestSupport
import Testing

@Suite struct DocumentShapeTests {
  private func prepared(
    _ value: DocumentValue, _ compression: CompressionMethod = .gzip
  ) async throws -> PreparedDocument {
    let scratch = try ScratchDatabase(DatabaseOptions(compression: compression))
    let core = try await scratch.database.collection("c", of: Document.self).core
    let document = try Document(DocumentMap(uniqueEntries: [("id", "1"), ("t", value)]))
    return try core.shape.prepare(document.bytes, format: document.format)
  }

  @Test(arguments: [(69, false), (70, true)])
  func `a body is compressed from 80 bytes on`(count: Int, isCompressed: Bool) async throws {
    let text = DocumentValue.string(String(repeating: "a", count: count))
    let document = try await prepared(text)
    #expect(document.body.count == count + 10)
    #expect(document.compression == (isCompressed ? .deflate : .none))
    #expect((document.section.count < document.body.count) == isCompressed)
    #expect(try await prepared(text, .none).compression == .none)
  }

  @Test func `a body that does not become smaller stays as it is`() async throws {
    let document = try await prepared(.binary(RandomBytes.next(300)))
    #expect(document.compression == .none)
    #expect(document.section == document.body)
  }
}
