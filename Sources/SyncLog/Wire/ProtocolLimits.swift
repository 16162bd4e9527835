/// What the protocol allows, in one place.
package enum ProtocolLimits {
  package static let version: UInt8 = 1

  /// Frames of one message.
  package static let frameCount = 131_072

  /// Records of one page or push; a group may exceed it.
  package static let pageCount = 10_000

  /// Bytes of the envelopes of one page or push; a group or a single record may exceed it.
  package static let pageSize = 4 << 20

  /// Bytes of one request or answer body.
  package static let bodySize = 16 << 20

  /// Bytes that a message takes besides its envelopes, at most.
  package static let frameOverhead = 1024

  /// Bytes of the envelopes of one group.
  package static let groupSize = 8 << 20

  /// Bytes of one document in a collection that syncs.
  package static let documentSize = 8 << 20

  /// Bytes of one envelope: a document, its conflicts, ids and padding, in one request.
  package static let envelopeSize = 12 << 20

  /// Bytes of one record in an envelope, inflated: a document and its conflicts.
  package static let recordSize = 64 << 20

  /// Versions of one record that stand side by side at an endpoint.
  package static let headCount = 64

  /// Tickets that both sides remember.
  package static let ticketCount = 64

  /// Collections of one vault in a session.
  package static let collectionCount = 4096

  /// Record tags of one fetch.
  package static let fetchCount = 1000
}
