/// Rows of text in columns that line up.
package struct TextTable: Sendable {
  private var rows: [[String]]
  private let rightAligned: Set<Int>

  /// A table with its headings; the columns in `rightAligned` hold numbers.
  package init(_ headings: [String], rightAligned: Set<Int> = []) {
    rows = [headings]
    self.rightAligned = rightAligned
  }

  /// Adds a row, with a cell for each heading.
  package mutating func append(_ cells: [String]) { rows.append(cells) }

  /// The rows, one a line, with two spaces between columns.
  package var text: String {
    let widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { cells in
      let padded = zip(cells, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return rightAligned.contains(column) ? space + cell.0 : cell.0 + space
      }
      let line = padded.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
