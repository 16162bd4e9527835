/// What a store can report to the collection above it.
package enum StorageError: Error, Equatable, Sendable {
  /// A system call failed, and nothing of the store depends on its outcome.
  case io(IOError)

  /// A write or fsync failed before: the store reads on, and writes only after it is reopened.
  case poisoned(IOError)

  /// Bytes of a file are not what was written there.
  case damaged(file: String, offset: UInt64, what: String)

  /// The newest version of the record does not read.
  case corruptedRecord(idKey: [UInt8])

  /// More than a named limit allows. Nothing was written.
  case limit(name: String, limit: UInt64)

  /// Deletions up to the sequence were forgotten, so changes after an earlier one are incomplete.
  case changesCollected(below: UInt64)

  /// The crypto library failed, for a reason that lies in no file.
  case sealing(CryptoError)

  /// The store was closed.
  case closed
}
