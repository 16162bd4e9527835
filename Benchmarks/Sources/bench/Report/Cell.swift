import Glibc

/// Numbers as people read them.
enum Cell {
  /// Three digits that count; from ten thousand on in thousands.
  static func number(_ value: Double) -> String {
    if value >= 1_000_000 { return fixed(value / 1e6, 2) + " M" }
    if value >= 10_000 { return fixed(value / 1e3, value >= 100_000 ? 0 : 1) + " k" }
    if value >= 1000 { return grouped(Int(value.rounded())) }
    let places = value >= 100 ? 0 : value >= 10 ? 1 : 2
    return fixed(value, places)
  }

  /// The median, and how far the runs lie apart.
  static func text(_ summary: Summary?) -> String {
    guard let summary else { return "–" }
    if summary.runs == 1 { return number(summary.median) }
    return
      "\(number(summary.median)) (\(number(summary.minimum))–\(number(summary.maximum)))"
  }

  private static func grouped(_ value: Int) -> String {
    var digits = Array(String(value))
    var index = digits.count - 3
    while index > 0 {
      digits.insert(",", at: index)
      index -= 3
    }
    return String(digits)
  }

  private static func fixed(_ value: Double, _ places: Int) -> String {
    let scale = pow(10, Double(places))
    let whole = Int((value * scale).rounded())
    if places == 0 { return String(whole) }
    let fraction = String(whole % Int(scale))
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(whole / Int(scale)).\(zeros)\(fraction)"
  }
}

/// A table in Markdown, aligned so that it also reads well as it is.
struct MarkdownTable {
  private var rows: [[String]]

  init(_ header: [String]) { rows = [header] }

  mutating func append(_ row: [String]) { rows.append(row) }

  var isEmpty: Bool { rows.count == 1 }

  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var lines = rows.map { row in
      "| "
        + zip(row, widths).enumerated().map { column, cell in
          let padding = String(repeating: " ", count: cell.1 - cell.0.count)
          return column == 0 ? cell.0 + padding : padding + cell.0
        }.joined(separator: " | ") + " |"
    }
    let rule = widths.enumerated().map { column, width in
      String(repeating: "-", count: width + 1) + (column == 0 ? "-" : ":")
    }
    lines.insert("|" + rule.joined(separator: "|") + "|", at: 1)
    return lines.joined(separator: "\n") + "\n"
  }
}
