/// Bytes that the documents of a collection have in common, which deflate may refer to.
///
/// A small document alone has little that repeats; most of it stands in its siblings.
package struct DeflateDictionary: Equatable, Sendable {
  /// Bytes of one dictionary. A longer one saves more and costs more for each document: deflate
  /// reads all of it every time.
  package static let sizeLimit = 4 << 10

  /// Dictionaries of one collection. An old one stays, since slots refer to it.
  package static let countLimit = 8

  /// Bytes of a document that is worth compressing with a dictionary.
  package static let messageSizes = 32...(64 << 10)

  /// Its place among the dictionaries of the collection, from 1 on.
  package var version: UInt8

  package var bytes: [UInt8]

  package init(version: UInt8, bytes: [UInt8]) {
    self.version = version
    self.bytes = bytes
  }
}

extension DeflateDictionary {
  /// Bytes of one document that a dictionary takes.
  package static let sampleSizeLimit = 1 << 10

  /// Makes a dictionary of documents, from all over the samples if they are more than fit.
  package init(version: UInt8, samples: [[UInt8]]) {
    let total = samples.reduce(0) { $0 + min($1.count, Self.sampleSizeLimit) }
    let step = max(1, (total + Self.sizeLimit - 1) / Self.sizeLimit)
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: samples.count, by: step) {
      let share = min(Self.sampleSizeLimit, Self.sizeLimit - bytes.count)
      bytes += samples[index].prefix(share)
    }
    self.init(version: version, bytes: bytes)
  }

  /// Whether documents become at least a tenth smaller than with another dictionary, or none.
  package func isWorthwhile(for messages: [[UInt8]], insteadOf other: DeflateDictionary?) -> Bool {
    let deflater = Deflater()
    func size(_ dictionary: DeflateDictionary?) -> Int {
      messages.reduce(0) { sum, message in
        var output: [UInt8] = []
        let isSmaller = deflater.deflate(
          message.span, dictionary: dictionary?.bytes, into: &output)
        return sum + (isSmaller ? output.count : message.count)
      }
    }
    return size(self) * 10 <= size(other) * 9
  }
}
