/// What a collection takes from each document before it is written.
///
/// Everything here is pure and runs outside the writer's turn.
package struct DocumentShape: Sendable {
  package let idField: FieldPath
  package let partitionKey: FieldPath?
  package let indexedFields: [FieldPath]
  package let format: BodyFormat
  package let compression: CompressionMethod

  /// Counts the changes of the indexes since the collection was opened.
  var number = 0

  init(_ manifest: CollectionManifest) {
    idField = FieldPath(manifest.idField)
    partitionKey = manifest.partitionKey.map { FieldPath($0) }
    indexedFields = manifest.indexedFields.map { FieldPath($0) }
    format = manifest.format
    compression = manifest.compression
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
    let id = try value(at: idField, of: body, format: format)
    guard let id, Self.isUsableID(id) else { throw .missingID(field: idField.description) }
    let smaller = deflated(body)
    return PreparedDocument(
      id: id, idKey: try Self.idKey(of: id),
      shardKey: try shardKey(of: body, format: format), body: body, format: format,
      section: smaller ?? body, compression: smaller == nil ? .none : .gzip,
      indexKeys: try indexKeys(of: body, format: format), shapeNumber: number)
  }

  /// The name of the shard that holds the document.
  package func shardKey(
    of body: [UInt8], format: BodyFormat
  ) throws(NyaruError) -> String {
    guard let partitionKey else { return Self.defaultShardKey }
    let value = try value(at: partitionKey, of: body, format: format)
    return Self.shardKey(for: value)
  }

  /// The keys under which the document stands in each index; `nil` where the field is missing.
  package func indexKeys(
    of body: [UInt8], format: BodyFormat
  ) throws(NyaruError) -> [[UInt8]?] {
    if indexedFields.isEmpty { return [] }
    var keys: [[UInt8]?] = []
    keys.reserveCapacity(indexedFields.count)
    for field in indexedFields {
      do throws(FormatError) {
        keys.append(try OrderedKey.key(at: field, in: body, format: format)?.bytes)
      } catch {
        throw NyaruError(error)
      }
    }
    return keys
  }

  /// The same for bodies that were checked when they were written, here or elsewhere.
  ///
  /// Where a body does not read after all, it stands in no index.
  func tolerantIndexKeys(of body: [UInt8], format: BodyFormat) -> [[UInt8]?] {
    indexedFields.map { field in
      (try? OrderedKey.key(at: field, in: body, format: format))??.bytes
    }
  }

  /// The shard of a body that was checked when it was written, here or elsewhere.
  func tolerantShardKey(of body: [UInt8], format: BodyFormat) -> String {
    (try? shardKey(of: body, format: format)) ?? Self.defaultShardKey
  }

  private func value(
    at path: FieldPath, of body: [UInt8], format: BodyFormat
  ) throws(NyaruError) -> DocumentValue? {
    do throws(FormatError) {
      return try FieldReader.value(at: path, in: body, format: format)
    } catch {
      throw NyaruError(error)
    }
  }

  /// The compressed bytes where the collection compresses and they are fewer.
  func deflated(_ bytes: [UInt8]) -> [UInt8]? {
    guard compression == .gzip, bytes.count >= Self.compressedSizeMinimum else { return nil }
    return DeflaterPool.shared.withDeflater { deflater in
      var output: [UInt8] = []
      return deflater.deflate(bytes.span, into: &output) ? output : nil
    }
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
    let size =
      switch id {
      case .string(let text): text.utf8.count
      case .binary(let bytes): bytes.count
      default: 0
      }
    guard size <= DocumentLimits.idSize else {
      throw .limitExceeded(limit: "idSize", maximum: DocumentLimits.idSize, actual: size)
    }
    do throws(FormatError) { return try OrderedKey.key(of: id) } catch { throw NyaruError(error) }
  }

  private static func isUsableID(_ value: DocumentValue) -> Bool {
    switch value {
    case .string, .integer, .unsigned, .binary, .bool: true
    case .double(let number): !number.isNaN
    case .null, .array, .map: false
    }
  }
}

/// A document with all that the writer needs to store it.
package struct PreparedDocument: Sendable {
  package var id: DocumentValue
  package var idKey: [UInt8]
  package var shardKey: String
  package var body: [UInt8]
  package var format: BodyFormat

  /// The body as it is stored, compressed or not.
  package var section: [UInt8]
  package var compression: CompressionMethod
  package var indexKeys: [[UInt8]?]

  /// The shape whose index keys these are.
  var shapeNumber: Int
}
