import NyaruEngine

/// One document of the input, parsed.
struct SourceDocument {
  var document: Document
  var source: SourceText
}

/// Reads a stream of JSON documents in batches, so that memory does not grow with the input.
final class BatchReader {
  private static let documentCountLimit = 2_000
  private static let textSizeLimit = 4 << 20

  private let source: ByteSource
  private var splitter = DocumentSplitter()
  private var texts: [SourceText] = []
  private var isAtEnd = false

  /// Bytes of the input that were read.
  private(set) var offset = 0

  init(_ source: ByteSource) {
    self.source = source
  }

  /// The part of the input that was read, where its size is known.
  var fraction: Double? {
    source.size.map { $0 == 0 ? 1 : Double(offset) / Double($0) }
  }

  /// The next documents, or nil at the end.
  ///
  /// When it throws, a document of the batch is wrong, and the message names its line.
  func next() throws(CommandFailure) -> [SourceDocument]? {
    var batch: [SourceDocument] = []
    var size = 0
    while batch.count < Self.documentCountLimit, size < Self.textSizeLimit {
      guard let text = try nextText() else { break }
      batch.append(try Self.parse(text))
      size += text.bytes.count
    }
    return batch.isEmpty ? nil : batch
  }

  private func nextText() throws(CommandFailure) -> SourceText? {
    while texts.isEmpty, !isAtEnd {
      let bytes = try source.read()
      offset += bytes.count
      isAtEnd = bytes.isEmpty
      do throws(DocumentSplitter.TextTooLarge) {
        texts = try splitter.append(bytes)
      } catch {
        throw CommandFailure(
          .differences,
          "line \(error.line): the document is larger than \(DocumentSplitter.textSizeLimit) bytes,"
            + " or its end is missing")
      }
      if isAtEnd, let last = splitter.finish() { texts = [last] }
      texts.reverse()
    }
    return texts.popLast()
  }

  private static func parse(_ text: SourceText) throws(CommandFailure) -> SourceDocument {
    do throws(JSONError) {
      return SourceDocument(document: try Document(json: text.bytes), source: text)
    } catch {
      throw CommandFailure(
        .differences, SourcePosition.message(error.reason, in: text, offset: error.offset))
    }
  }
}
