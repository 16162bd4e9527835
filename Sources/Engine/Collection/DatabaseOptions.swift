/// How a database is opened, and what its new collections are like.
///
/// ``compression`` and ``format`` are frozen into each collection when it is created; the other
/// options hold for the life of the handle.
public struct DatabaseOptions: Sendable {
  /// When written documents are flushed to the disk without a call to `sync()`.
  ///
  /// There are no timers: a policy acts within the writing call, which then reports its errors.
  public enum AutoSync: Sendable, Equatable {
    /// Only on `sync()` and `close()`.
    case off

    /// Before each write returns; concurrent writers share one flush.
    case everyWrite

    /// After this many written documents.
    case afterWrites(Int)

    /// On the first write at least this many seconds after the last flush.
    case interval(Double)
  }

  /// How the bodies of new collections are compressed.
  public var compression: CompressionMethod

  /// How the bodies of new collections are encoded.
  public var format: BodyFormat

  /// When writes are flushed without being asked.
  public var autoSync: AutoSync

  /// Unlocks, or for a new database sets, encryption at rest.
  public var key: DatabaseKey?

  /// Whether a missing database is created.
  public var createIfMissing: Bool

  /// The share of garbage from which on `needsCompaction()` says yes, 0 to 1.
  public var maxFragmentation: Double

  /// Writes after which a compressing collection looks for a dictionary the first time.
  package var dictionaryTrialStart: UInt64 = 1_024

  /// Options with the defaults of a new, unencrypted, uncompressed database.
  ///
  /// ``NyaruCrypto`` makes an `encryptionKey`.
  public init(
    compression: CompressionMethod = .none, format: BodyFormat = .msgpack,
    autoSync: AutoSync = .off,
    encryptionKey: SecretKey? = nil, createIfMissing: Bool = true, maxFragmentation: Double = 0.5
  ) {
    self.compression = compression
    self.format = format
    self.autoSync = autoSync
    self.key = encryptionKey.map { .key($0) }
    self.createIfMissing = createIfMissing
    self.maxFragmentation = maxFragmentation
  }
}

/// What unlocks an encrypted database.
public enum DatabaseKey: Sendable {
  /// 32 random bytes.
  case key(SecretKey)

  /// A password, stretched with scrypt and a salt that the database stores.
  case password(String)
}
