/// One operation of a write, prepared outside the writer's turn.
package struct WriteIntent: Sendable {
  /// Which records an operation accepts, and what it does.
  package enum Kind: Sendable, Equatable {
    case insert
    case update
    case upsert

    /// Deletes the version that is seen; with conflicts, the next one becomes the document.
    case delete

    /// Replaces all standing versions.
    case resolve
  }

  /// Makes the new document out of the one that is there, in the writer's turn.
  package typealias Revision =
    @Sendable (_ old: [UInt8], _ format: BodyFormat) throws(NyaruError) -> PreparedDocument

  package var kind: Kind
  package var idKey: [UInt8]

  /// The new document, unless it depends on the old one.
  package var document: PreparedDocument?
  package var revision: Revision?

  /// Writes only if the record is still this version.
  package var expectedSequence: UInt64?

  package init(
    _ kind: Kind, idKey: [UInt8], document: PreparedDocument? = nil,
    revision: Revision? = nil, expectedSequence: UInt64? = nil
  ) {
    self.kind = kind
    self.idKey = idKey
    self.document = document
    self.revision = revision
    self.expectedSequence = expectedSequence
  }

  /// The id, for what is to be told to people.
  package var id: DocumentValue { DocumentShape.id(of: idKey) }

  package init(_ kind: Kind, _ document: PreparedDocument, revision: Revision? = nil) {
    self.init(kind, idKey: document.idKey, document: document, revision: revision)
  }
}
