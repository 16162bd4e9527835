/// The word that somebody may have meant.
package enum Suggestion {
  /// "; did you mean …?", or nothing where no candidate is close.
  package static func text(
    for word: String, among candidates: [String], prefix: String = ""
  ) -> String {
    let ranked = candidates.map { ($0, distance(Array(word.utf8.prefix(64)), Array($0.utf8))) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(1, word.utf8.count / 3) else {
      return ""
    }
    return "; did you mean \(prefix)\(best.0)?"
  }

  /// Insertions, removals, replacements and swaps of neighbours between two words.
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for (row, byte) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(
          previous[column] + (byte == other ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
          cost = min(cost, beforePrevious[column - 1] + 1)
        }
        current.append(cost)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[right.count]
  }
}
