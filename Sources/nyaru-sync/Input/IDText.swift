package import NyaruEngine

/// Ids on the command line, where everything is text.
package enum IDText {
  /// The ids that a word may mean, in the order in which they are tried.
  ///
  /// A word is a string. Where it also is the one way to write a whole number in JSON, it is that
  /// number next.
  package static func candidates(for word: String) -> [DocumentValue] {
    var candidates: [DocumentValue] = [.string(word)]
    if let number = Int64(word), String(number) == word {
      candidates.append(.integer(number))
    } else if let number = UInt64(word), String(number) == word {
      candidates.append(.unsigned(number))
    }
    return candidates
  }
}
