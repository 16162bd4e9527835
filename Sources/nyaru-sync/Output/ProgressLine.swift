/// How far a command has come, as one line of a terminal.
package struct ProgressLine: Equatable, Sendable {
  /// What is going on, such as `import`.
  package var label: String

  /// Documents done.
  package var documents: Int

  /// The part that is done, 0 to 1, where the whole is known.
  package var fraction: Double?

  /// Bytes that travelled, where bytes travel.
  package var bytes: Int?

  /// Since the beginning.
  package var seconds: Double

  package init(
    label: String, documents: Int, fraction: Double? = nil, bytes: Int? = nil, seconds: Double
  ) {
    self.label = label
    self.documents = documents
    self.fraction = fraction
    self.bytes = bytes
    self.seconds = seconds
  }

  /// The line, of at most 79 columns.
  package var text: String {
    var parts = [label]
    if let fraction, fraction.isFinite {
      let fraction = min(max(fraction, 0), 1)
      let filled = Int(fraction * 20)
      parts.append(
        "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
          + "] \(Int(fraction * 100)) %")
    }
    parts.append(Noun.text(documents, "document"))
    if let bytes { parts.append(Self.size(bytes)) }
    if seconds >= 1 {
      parts.append("\(Int(min(Double(documents) / seconds, 1e12)))/s")
      if let fraction, fraction >= 0.01, fraction < 1 {
        parts.append(Self.duration(seconds * (1 - fraction) / fraction) + " left")
      }
    }
    return String(parts.joined(separator: "  ").prefix(79))
  }

  /// A count of bytes with a unit: `999 B`, `1.5 MB`.
  package static func size(_ bytes: Int) -> String {
    guard bytes >= 1000 else { return "\(bytes) B" }
    var value = Double(bytes) / 1000
    for unit in ["kB", "MB", "GB"] {
      if value < 999.95 { return "\((value * 10).rounded() / 10) \(unit)" }
      value /= 1000
    }
    return "\((value * 10).rounded() / 10) TB"
  }

  /// Minutes and seconds: `1:05`.
  package static func duration(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds, 0), 1e9).rounded(.up))
    let rest = whole % 60
    return "\(whole / 60):" + (rest < 10 ? "0" : "") + "\(rest)"
  }
}
