/// What a token lets its bearer do.
public struct TokenScopes: OptionSet, Sendable, Hashable {
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public let rawValue: UInt8

  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Reading: `session`, `pull`, `digest` and `fetch`.
  public static let pull = TokenScopes(rawValue: 1 << 0)

  /// Writing: `push`.
  public static let push = TokenScopes(rawValue: 1 << 1)

  /// Every scope that there is.
  public static let all: TokenScopes = [.pull, .push]

  private static let names: [(TokenScopes, String)] = [(.pull, "pull"), (.push, "push")]

  /// Reads names with commas between them; `nil` if one is unknown or there is none.
  public init?(_ text: String) {
    var scopes: TokenScopes = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let (scope, _) = Self.names.first(where: { $0.1 == word }) else { return nil }
      scopes.insert(scope)
    }
    self = scopes
  }

  /// The names with commas between them.
  public var text: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ",")
  }
}
