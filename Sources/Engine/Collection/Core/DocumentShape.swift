/// What a collection takes from each document before it is written.
///
/// Everything here is pure and runs outside the writer's turn.
package final class DocumentShape: Sendable {
  package let idField: FieldPath
  package let partitionKey: FieldPath?
  package let indexedFields: [FieldPath]
  package let format: BodyFormat
  package let compression: CompressionMethod

  /// Counts the changes of the indexes since the collection was opened.
  let number: Int

  /// What deflate refers to in new slots.
  let dictionary: DeflateDictionary?

  /// Finds the id and the indexed fields, if all of them are fields of the document itself.
  private let finder: FieldFinder?

  init(_ manifest: CollectionManifest, number: Int = 0) {
    self.number = number
    idField = FieldPath(manifest.idField)
    partitionKey = manifest.partitionKey.map { FieldPath($0) }
    indexedFields = manifest.indexedFields.map { FieldPath($0) }
    format = manifest.format
    compression = manifest.compression
    dictionary = manifest.dictionaries.last
    finder = FieldFinder([idField] + indexedFields)
  }

  /// The document, ready to be stored.
  ///
  /// - Throws: ``NyaruError/missingID(field:)``, ``NyaruError/invalidDocument(reason:)``,
  ///   ``NyaruError/limitExceeded(limit:maximum:actual:)``.
  package func prepare(
    _ body: [UInt8], format: BodyFormat
  ) throws(NyaruError) -> PreparedDocument {
    guard body.count <= DocumentLimits.documentSize else {
      throw .limitExceeded(
        limit: "documentSize", maximum: DocumentLimits.documentSize, actual: body.count)
    }
    let bytes = try NyaruError.format { () throws(FormatError) in try format.messagePack(body) }
    let fields = bytes.span
    let keys: DocumentKeys
    do throws(FormatError) { keys = try self.keys(of: fields) } catch { throw NyaruError(error) }
    guard let idKey = keys.id, Self.isUsableID(idKey) else {
      throw .missingID(field: idField.description)
    }
    try Self.checkSize(ofID: idKey)
    let smaller = deflated(body)
    return PreparedDocument(
      idKey: idKey, shardKey: try shardKey(of: fields), body: body, format: format,
      section: smaller?.bytes ?? body, compression: smaller?.method ?? .none,
      indexKeys: keys.index, shapeNumber: number)
  }

  /// The name of the shard that holds the document.
  private func shardKey(of fields: Span<UInt8>) throws(NyaruError) -> String {
    guard let partitionKey else { return Self.defaultShardKey }
    var reader = MessagePackReader(fields)
    do throws(FormatError) {
      return Self.shardKey(for: try reader.seek(partitionKey) ? reader.readValue() : nil)
    } catch {
      throw NyaruError(error)
    }
  }

  /// The keys of a document's fields, `nil` where one is missing.
  private func keys(of fields: Span<UInt8>) throws(FormatError) -> DocumentKeys {
    var keys = DocumentKeys()
    keys.index.reserveCapacity(indexedFields.count)
    let offsets = try finder?.offsets(in: fields)
    if let offsets {
      keys.id = try Self.key(at: offsets[0], of: fields, limit: .max)
    } else {
      keys.id = try Self.key(at: idField, of: fields, limit: .max)
    }
    for place in indexedFields.indices {
      keys.index.append(try indexKey(place, offsets, of: fields))
    }
    return keys
  }

  /// The key of an indexed field, found by the offsets or by its path.
  private func indexKey(
    _ place: Int, _ offsets: FieldFinder.Offsets?, of fields: Span<UInt8>
  ) throws(FormatError) -> [UInt8]? {
    let limit = DocumentLimits.keyPrefixSize
    guard let offsets else {
      return try Self.key(at: indexedFields[place], of: fields, limit: limit)
    }
    return try Self.key(at: offsets[place + 1], of: fields, limit: limit)
  }

  private static func key(
    at offset: Int, of fields: Span<UInt8>, limit: Int
  ) throws(FormatError) -> [UInt8]? {
    guard offset >= 0 else { return nil }
    var reader = MessagePackReader(fields, at: offset)
    return try OrderedKey.key(&reader, limit: limit).bytes
  }

  private static func key(
    at field: FieldPath, of fields: Span<UInt8>, limit: Int
  ) throws(FormatError) -> [UInt8]? {
    var reader = MessagePackReader(fields)
    return try reader.seek(field) ? OrderedKey.key(&reader, limit: limit).bytes : nil
  }

  /// The keys under which a body stands in each index, which was checked when it was written, here
  /// or elsewhere; `nil` where the field is missing.
  ///
  /// Where a body does not read after all, it stands in no index.
  func tolerantIndexKeys(of body: Span<UInt8>, format: BodyFormat) -> [[UInt8]?] {
    if format == .messagePack { return tolerantIndexKeys(of: body) }
    guard !indexedFields.isEmpty, let bytes = try? format.messagePack(body) else {
      return Array(repeating: nil, count: indexedFields.count)
    }
    return tolerantIndexKeys(of: bytes.span)
  }

  private func tolerantIndexKeys(of fields: Span<UInt8>) -> [[UInt8]?] {
    var keys: [[UInt8]?] = []
    keys.reserveCapacity(indexedFields.count)
    let offsets = try? finder?.offsets(in: fields)
    for place in indexedFields.indices {
      let key = try? indexKey(place, offsets, of: fields)
      keys.append(key ?? nil)
    }
    return keys
  }

  /// The shard of a body that was checked when it was written, here or elsewhere.
  func tolerantShardKey(of body: [UInt8], format: BodyFormat) -> String {
    guard partitionKey != nil, let bytes = try? format.messagePack(body) else {
      return Self.defaultShardKey
    }
    return (try? shardKey(of: bytes.span)) ?? Self.defaultShardKey
  }

  /// The compressed bytes where the collection compresses and they are fewer.
  func deflated(_ bytes: [UInt8]) -> (bytes: [UInt8], method: SlotCompression)? {
    guard compression == .gzip else { return nil }
    if let dictionary, DeflateDictionary.messageSizes.contains(bytes.count) {
      var output = [dictionary.version]
      let isSmaller = DeflaterPool.shared.withDeflater { deflater in
        deflater.deflate(bytes.span, dictionary: dictionary.bytes, into: &output)
      }
      return isSmaller && output.count < bytes.count ? (output, .deflateWithDictionary) : nil
    }
    guard bytes.count >= Self.compressedSizeMinimum else { return nil }
    var output: [UInt8] = []
    let isSmaller = DeflaterPool.shared.withDeflater { deflater in
      deflater.deflate(bytes.span, into: &output)
    }
    return isSmaller ? (output, .deflate) : nil
  }
}

extension DocumentShape {
  /// Bodies below this many bytes are not worth compressing.
  package static let compressedSizeMinimum = 80

  /// The shard of collections without a partition key, and of documents without a value there.
  package static let defaultShardKey = "default"

  /// The shard of a partition value: text as it is, numbers and booleans in decimal notation.
  package static func shardKey(for value: DocumentValue?) -> String {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .unsigned(let number): String(number)
    case .double(let number):
      Int64(exactly: number).map { String($0) } ?? String(number)
    case .bool(let flag): flag ? "true" : "false"
    default: defaultShardKey
    }
  }

  /// The shard of all values whose index key this is; `nil` if they may lie in several.
  ///
  /// Equal numbers have one key, and one shard unless they are beyond the integers.
  static func shardKey(ofEqualTo key: [UInt8]) -> String? {
    guard key.count < DocumentLimits.keyPrefixSize, let value = try? OrderedKey.decode(key) else {
      return nil
    }
    switch value {
    case .unsigned: return nil
    case .double(let number) where !(number.magnitude < 0x1p63): return nil
    default: return shardKey(for: value)
    }
  }

  /// The bytes under which an id is found.
  package static func idKey(of id: DocumentValue) throws(NyaruError) -> [UInt8] {
    let key = try NyaruError.format { () throws(FormatError) in try OrderedKey.key(of: id) }
    try checkSize(ofID: key)
    return key
  }

  /// The id of a key.
  static func id(of idKey: [UInt8]) -> DocumentValue { (try? OrderedKey.decode(idKey)) ?? .null }

  private static func checkSize(ofID key: [UInt8]) throws(NyaruError) {
    let isSized = key.first == OrderedKey.Tag.string || key.first == OrderedKey.Tag.binary
    guard !isSized || key.count - 1 <= DocumentLimits.idSize else {
      throw .limitExceeded(
        limit: "idSize", maximum: DocumentLimits.idSize, actual: key.count - 1)
    }
  }

  private static let notANumber = try? OrderedKey.key(of: .double(.nan))

  private static func isUsableID(_ key: [UInt8]) -> Bool {
    switch key.first {
    case OrderedKey.Tag.string, OrderedKey.Tag.binary, OrderedKey.Tag.boolFalse,
      OrderedKey.Tag.boolTrue:
      true
    case OrderedKey.Tag.number: key != notANumber
    default: false
    }
  }
}

/// What a document is found by.
private struct DocumentKeys {
  var id: [UInt8]?

  /// One key for each index.
  var index: [[UInt8]?] = []
}

/// A document with all that the writer needs to store it.
package final class PreparedDocument: Sendable {
  package let idKey: [UInt8]
  package let shardKey: String
  package let body: [UInt8]
  package let format: BodyFormat

  /// The body as it is stored, compressed or not.
  package let section: [UInt8]
  package let compression: SlotCompression
  package let indexKeys: [[UInt8]?]

  /// The shape whose index keys these are.
  let shapeNumber: Int

  init(
    idKey: [UInt8], shardKey: String, body: [UInt8], format: BodyFormat, section: [UInt8],
    compression: SlotCompression, indexKeys: [[UInt8]?], shapeNumber: Int
  ) {
    self.idKey = idKey
    self.shardKey = shardKey
    self.body = body
    self.format = format
    self.section = section
    self.compression = compression
    self.indexKeys = indexKeys
    self.shapeNumber = shapeNumber
  }
}
