extension StoredRecord {
  /// The prelude, and the whole state with its bodies.
  ///
  /// `authors` are the database's replicaIDs, to which own writes refer.
  package func prelude(authors: [ReplicaID]) throws(FormatError) -> Prelude {
    var reader = ByteReader(payload)
    return try Prelude(
      from: &reader, sequence: sequence, authors: authors, isCompressed: isCompressed)
  }

  /// The state of the record.
  package func state(authors: [ReplicaID]) throws(FormatError) -> RecordState {
    try prelude(authors: authors).state(bodySection: view.bodySection)
  }
}
