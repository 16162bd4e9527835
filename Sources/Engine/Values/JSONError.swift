/// Why a text is not a JSON document.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Bytes from the start of the text to what is wrong.
  public let offset: Int

  /// What is wrong there.
  public let reason: String

  package init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }

  /// Reason and place in one line.
  public var description: String { "\(reason), at byte \(offset)" }
}
