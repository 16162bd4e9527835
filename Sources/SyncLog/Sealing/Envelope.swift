package import NyaruEngine

/// What lies in an envelope, opened.
///
///     envelope  := header, nonce u8[24], length varint, ciphertext u8[length]
///     sealed    := XAES-256-GCM over packed, under the body key; associated data:
///                  "nyaru/sync/1/envelope", vault u8[16], collection tag u8[16], header
///     packed    := method u8 (0 as it is, 1 deflate), size varint, [raw size varint if deflate],
///                  data u8[size], zeros up to the padded size
///     data      := flags u8 (bit 0: a group follows), [group u8[8]], id length varint, id key,
///                  count varint, entry…
///     entry     := dot, tag u8[8], time u48, format u8, body length varint, body
///
/// The padded size is Padmé's of what stands before the zeros. A record's group is the same number
/// in all envelopes of one group, and in no others of the same commit.
package struct OpenedEnvelope: Equatable, Sendable {
  package var header: EnvelopeHeader
  package var idKey: [UInt8]
  package var state: RecordState
  package var group: UInt64?

  package init(header: EnvelopeHeader, idKey: [UInt8], state: RecordState, group: UInt64?) {
    self.header = header
    self.idKey = idKey
    self.state = state
    self.group = group
  }

  /// What stands before the vault in the associated data.
  static let label: [UInt8] = Array("nyaru/sync/1/envelope".utf8)
}

/// Why an envelope is kept aside instead of being taken.
package enum EnvelopeFailure: Error, Equatable, Sendable {
  /// It was not sealed with this vault's key for this collection, or was changed since.
  case notAuthentic

  /// It reads, but breaks a rule of the format, or is of a newer one.
  case format(FormatError)

  /// What it says of itself in the clear is not what lies in it.
  case mismatch(String)
}

extension EnvelopeFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAuthentic: "not sealed with this vault's key, or damaged"
    case .format(let error): "unreadable (\(error))"
    case .mismatch(let what): "its \(what) does not match its content"
    }
  }
}
