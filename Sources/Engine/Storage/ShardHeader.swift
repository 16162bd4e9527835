/// The first 64 bytes of a shard file.
///
///     header := magic "NYRS", format u32, fileID u64, collectionID u8[16], born u64,
///               replaces u64, zero u8[12], crc u32 over the 60 bytes before
package struct ShardHeader: Equatable, Sendable {
  package static let size = 64
  package static let magic: UInt32 = 0x5352_594E
  package static let format: UInt32 = 1

  package var fileID: UInt64
  package var collectionID: [UInt8]

  /// The checkpoint that was, or was to be, the current one when the file became part of the
  /// collection.
  package var born: UInt64

  /// The file whose live slots were moved into this one, or 0.
  package var replaces: UInt64

  package init(fileID: UInt64, collectionID: [UInt8], born: UInt64, replaces: UInt64 = 0) {
    self.fileID = fileID
    self.collectionID = collectionID
    self.born = born
    self.replaces = replaces
  }

  package init(_ bytes: Span<UInt8>) throws(FormatError) {
    guard bytes.count >= Self.size else { throw .truncated }
    var reader = ByteReader(bytes.extracting(0..<Self.size))
    let magic = try reader.readUInt32()
    let format = try reader.readUInt32()
    fileID = try reader.readUInt64()
    collectionID = try reader.readBytes(16)
    born = try reader.readUInt64()
    replaces = try reader.readUInt64()
    let zero = try reader.readBytes(12)
    guard try reader.readUInt32() == Checksum.of(bytes.extracting(0..<60)) else {
      throw .checksumMismatch
    }
    guard magic == Self.magic, zero.allSatisfy({ $0 == 0 }) else {
      throw .invalid("not a shard")
    }
    guard format == Self.format else { throw .unsupported("shard format \(format)") }
  }

  package func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.write(Self.magic)
    writer.write(Self.format)
    writer.write(fileID)
    writer.write(collectionID)
    writer.write(born)
    writer.write(replaces)
    writer.writeZeros(12)
    writer.write(Checksum.of(writer.bytes.span))
    return writer.finish()
  }
}

/// The name of a shard file: that of its key, a dot and 16 hexadecimal digits.
///
/// The lowest bit of the number tells a file that a compaction made, so that one whose header
/// does not read is known for what it is.
package struct ShardName: Hashable, Sendable {
  /// The file name of the shard's key.
  package var partition: String
  package var fileID: UInt64

  package init(partition: String, fileID: UInt64) {
    self.partition = partition
    self.fileID = fileID
  }

  /// A new number for a file.
  package static func fileID(_ number: UInt64, isCompacted: Bool) -> UInt64 {
    number & ~1 | (isCompacted ? 1 : 0)
  }

  package var isCompacted: Bool { fileID & 1 == 1 }

  package init?(_ fileName: String) {
    guard let dot = fileName.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let digits = fileName.utf8[fileName.utf8.index(after: dot)...]
    let isNumber = digits.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
    guard digits.count == 16, isNumber, let text = String(digits),
      let fileID = UInt64(text, radix: 16), let partition = String(fileName.utf8[..<dot])
    else { return nil }
    self.init(partition: partition, fileID: fileID)
  }

  package var fileName: String {
    let digits = String(fileID, radix: 16)
    return partition + "." + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
