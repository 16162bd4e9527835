/// A filter made ready to be tried on many documents.
package struct CompiledFilter: Sendable {
  package let filter: Filter

  package init(_ filter: Filter) { self.filter = filter }

  /// Whether the document matches.
  package func matches(_ body: [UInt8], format: BodyFormat) throws(FormatError) -> Bool {
    throw .unsupported("thin")
  }

  /// Ranges of index keys of the field outside which no document matches; `nil` if the filter
  /// does not confine the field. What lies inside still has to be tried.
  package func keyRanges(for path: FieldPath) -> [KeyRange]? { nil }
}

/// Keys from a lower bound up to, not including, an upper one.
package struct KeyRange: Equatable, Sendable {
  package var lower: [UInt8]

  /// The first key behind the range; `nil` if it has no end.
  package var upper: [UInt8]?

  package init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }
}
