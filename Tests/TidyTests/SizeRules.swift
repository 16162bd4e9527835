/// How large a file, a function and a line may be, and how much of the code is comment.
enum SizeRules {
  static let fileLinesLimit = 400
  static let functionLinesLimit = 70
  static let lineColumnsLimit = 100
  static let commentShareLimit = 0.20

  static func violations(in file: SourceFile) -> [String] {
    guard let code = file.code else { return [] }
    var found: [String] = []
    let lines = file.lines
    if lines.count > fileLinesLimit { found.append("\(lines.count) lines") }
    for (index, line) in lines.enumerated() where line.count > lineColumnsLimit {
      found.append("line \(index + 1) has \(line.count) columns")
    }
    for function in code.functions where function.length > functionLinesLimit {
      found.append("the function in line \(function.line) has \(function.length) lines")
    }
    return found
  }

  /// The share of comment lines among all lines.
  static func commentShare(of files: [SourceFile]) -> Double {
    var comments = 0
    var lines = 0
    for file in files {
      comments += file.code?.commentLines.count { $0 } ?? 0
      lines += file.lines.count
    }
    return lines == 0 ? 0 : Double(comments) / Double(lines)
  }
}
