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
