/// One secondary index: the field that it orders.
package struct IndexDefinition: Hashable, Sendable {
  package let path: String

  package init(path: String) { self.path = path }
}

/// What a store has to know about its collection.
package struct StoreConfiguration: Sendable {
  /// The keys of one record, one for each index; `nil` where the record has no such field.
  ///
  /// The payload is a prelude and the body section, inflated.
  package typealias KeyExtractor = @Sendable (Span<UInt8>, PreludeLayout) -> [[UInt8]?]

  package var collectionID: [UInt8]
  package var indexes: [IndexDefinition]
  package var extractKeys: KeyExtractor

  /// Makes file names of shard keys.
  package var names: Names

  /// Seals slots and checkpoints; `nil` leaves them readable.
  package var key: SecretKey?

  /// What deflate may refer to in slots, in the order of versions.
  package var dictionaries: [DeflateDictionary] = []

  /// Tells one run of the kernel from the next.
  package var bootID: UInt64

  /// Sequences below this are never given out: the floor of a dropped collection of that name.
  package var sequenceFloor: UInt64 = 0

  /// Deletion markers stay until they were replicated, which the store cannot know.
  package var keepsDeletionMarkers = true

  /// Files that are open at the same time.
  package var openFileLimit = 64

  /// A checkpoint is due after this many appended bytes, or a quarter of the live ones.
  package var checkpointInterval: UInt64 = 32 << 20

  /// Sequences that one write of the head reserves.
  package var reservation: UInt64 = 4_096

  /// Runs when opening finds that something acknowledged is gone or older than it was, before
  /// anything is written: whoever forgets writes under a new name from then on.
  package var willForget: @Sendable () throws(IOError) -> Void = {}

  /// Numbers for new files, which must not repeat.
  package var makeFileID: @Sendable () -> UInt64 = { RandomBytes.nextUInt64() }

  package init(
    collectionID: [UInt8], indexes: [IndexDefinition] = [],
    extractKeys: @escaping KeyExtractor = { _, _ in [] }, names: Names = Names(key: nil),
    key: SecretKey? = nil, bootID: UInt64
  ) {
    precondition(collectionID.count == 16, "a collectionID has 16 bytes")
    self.collectionID = collectionID
    self.indexes = indexes
    self.extractKeys = extractKeys
    self.names = names
    self.key = key
    self.bootID = bootID
  }

  func makeCodec() -> PayloadCodec {
    PayloadCodec(key: key, collectionID: collectionID, dictionaries: dictionaries)
  }
}
