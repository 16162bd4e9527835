/// The file `manifest` of a collection: what it is called and how it is laid out.
///
///     body    := sealing u8 (0 clear, 1 sealed), content | box
///     content := collectionID u8[16], created u64 (ms since 1970), format u8, compression u8,
///                name, id field, partition key: 0 u8 | 1 u8, field,
///                indexed field count varint, fields,
///                [dictionary count varint, n × dictionary]     unless there are none
///     box     := content under the key for manifests; associated data:
///                "nyaru collection manifest", 0 u8, the directory's file name
///
/// Names and fields are length-prefixed UTF-8, dictionaries length-prefixed bytes. The associated
/// data binds the manifest to its directory.
package struct CollectionManifest: Equatable, Sendable {
  package static let fileName = "manifest"
  package static let collectionIDSize = 16

  /// Bytes of a field's path, as UTF-8.
  package static let fieldSizeLimit = 4 << 10
  package static let indexedFieldLimit = 256

  package var collectionID: [UInt8]
  package var name: String
  package var idField: String
  package var partitionKey: String?
  package var indexedFields: [String]
  package var format: BodyFormat
  package var compression: CompressionMethod

  /// Milliseconds since 1970.
  package var created: UInt64

  /// What deflate may refer to in slots, in the order of versions. None is ever taken away.
  package var dictionaries: [DeflateDictionary] = []

  package init(
    name: String, idField: String, partitionKey: String? = nil, indexedFields: [String] = [],
    format: BodyFormat, compression: CompressionMethod, created: UInt64
  ) {
    collectionID = RandomBytes.next(Self.collectionIDSize)
    self.name = name
    self.idField = idField
    self.partitionKey = partitionKey
    self.indexedFields = indexedFields
    self.format = format
    self.compression = compression
    self.created = created
  }

  // The manifest of NFC "é" is not that of NFD "é", although the strings are equal.
  package static func == (left: CollectionManifest, right: CollectionManifest) -> Bool {
    left.content == right.content
  }
}

extension CollectionManifest {
  static let magic = "NYCM"
  static let format: UInt32 = 1

  /// Reads a manifest; the key is `nil` where the database is not encrypted.
  package init(
    decoding bytes: [UInt8], fileName: String, key: SecretKey?
  ) throws(FormatError) {
    let body = try ManifestFrame.decode(bytes, magic: Self.magic, format: Self.format)
    var reader = ByteReader(body.span)
    let isSealed = try reader.readBool()
    let rest = try reader.readBytes(reader.remaining)
    guard isSealed == (key != nil) else {
      throw .invalid(isSealed ? "sealed, without a key" : "clear in an encrypted database")
    }
    guard let key else {
      try self.init(content: rest)
      return
    }
    let content: [UInt8]
    do throws(CryptoError) {
      content = try XAES256GCM.openBox(
        rest, key: key, associatedData: Self.associatedData(fileName))
    } catch {
      throw .checksumMismatch
    }
    try self.init(content: content)
  }

  /// The file's bytes.
  package func encoded(fileName: String, key: SecretKey?) throws(CryptoError) -> [UInt8] {
    var body: [UInt8] = [key == nil ? 0 : 1]
    if let key {
      body += try XAES256GCM.sealBox(
        content, key: key, associatedData: Self.associatedData(fileName))
    } else {
      body += content
    }
    return ManifestFrame.encode(body, magic: Self.magic, format: Self.format)
  }

  private init(content: [UInt8]) throws(FormatError) {
    var reader = ByteReader(content.span)
    collectionID = try reader.readBytes(Self.collectionIDSize)
    created = try reader.readUInt64()
    guard let format = BodyFormat(rawValue: try reader.readUInt8()) else {
      throw .unsupported("body format")
    }
    guard let compression = CompressionMethod(rawValue: try reader.readUInt8()) else {
      throw .unsupported("compression")
    }
    self.format = format
    self.compression = compression
    name = try reader.readText(limit: Names.nameSizeLimit)
    idField = try reader.readText(limit: Self.fieldSizeLimit)
    partitionKey = try reader.readBool() ? try reader.readText(limit: Self.fieldSizeLimit) : nil
    let count = try reader.readVarint()
    guard count <= UInt64(Self.indexedFieldLimit) else { throw .lengthOutOfRange(count) }
    indexedFields = []
    for _ in 0..<count { indexedFields.append(try reader.readText(limit: Self.fieldSizeLimit)) }
    if reader.remaining > 0 { dictionaries = try Self.readDictionaries(&reader) }
    guard reader.remaining == 0 else { throw .invalid("bytes behind the manifest's last field") }
  }

  private static func readDictionaries(
    _ reader: inout ByteReader
  ) throws(FormatError) -> [DeflateDictionary] {
    let count = try reader.readVarint()
    guard (1...UInt64(DeflateDictionary.countLimit)).contains(count) else {
      throw .lengthOutOfRange(count)
    }
    var dictionaries: [DeflateDictionary] = []
    for version in 1...UInt8(count) {
      let size = try reader.readLength(limit: DeflateDictionary.sizeLimit)
      guard size > 0 else { throw .invalid("an empty dictionary") }
      dictionaries.append(DeflateDictionary(version: version, bytes: try reader.readBytes(size)))
    }
    return dictionaries
  }

  private var content: [UInt8] {
    var writer = ByteWriter()
    writer.write(collectionID)
    writer.write(created)
    writer.write(format.rawValue)
    writer.write(compression.rawValue)
    writer.writeText(name)
    writer.writeText(idField)
    writer.write(partitionKey == nil ? 0 as UInt8 : 1)
    if let partitionKey { writer.writeText(partitionKey) }
    writer.writeVarint(UInt64(indexedFields.count))
    for field in indexedFields { writer.writeText(field) }
    if !dictionaries.isEmpty { writer.writeVarint(UInt64(dictionaries.count)) }
    for dictionary in dictionaries { writer.writeLengthPrefixed(dictionary.bytes) }
    return writer.finish()
  }

  private static func associatedData(_ fileName: String) -> [UInt8] {
    Array("nyaru collection manifest".utf8) + [0] + Array(fileName.utf8)
  }

  /// Names the first limit that the manifest exceeds.
  package func check() throws(DatabaseDirectoryError) {
    guard name.utf8.count <= Names.nameSizeLimit else {
      throw .limit("the size of a collection's name", Names.nameSizeLimit)
    }
    for field in [idField] + indexedFields + [partitionKey].compactMap({ $0 })
    where field.utf8.count > Self.fieldSizeLimit {
      throw .limit("the size of a field's path", Self.fieldSizeLimit)
    }
    guard indexedFields.count <= Self.indexedFieldLimit else {
      throw .limit("the number of indexed fields", Self.indexedFieldLimit)
    }
  }
}
