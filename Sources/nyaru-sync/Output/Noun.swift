/// Counts with their nouns: `1 document`, `2 documents`.
package enum Noun {
  package static func text(_ count: Int, _ singular: String) -> String {
    "\(count) \(singular)\(count == 1 ? "" : "s")"
  }
}
