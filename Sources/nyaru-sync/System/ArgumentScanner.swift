import CGetopt
import Glibc
import Synchronization

/// One element of a command line.
package enum ArgumentToken: Equatable, Sendable {
  case option(OptionName, String?)
  case operand(String)
}

/// Splits a command line into options and operands with `getopt_long`.
///
/// Options may stand before and behind operands, be shortened while unambiguous, and carry their
/// argument behind `=` or as the next word. Behind `--` everything is an operand.
package enum ArgumentScanner {
  /// The C library keeps its place in globals.
  private static let turn = Mutex(())

  /// The tokens of `arguments`, in order, without the program's name.
  package static func scan(_ arguments: [String]) throws(UsageError) -> [ArgumentToken] {
    let result = turn.withLock { _ in scanAlone(arguments) }
    return try result.get()
  }

  private static func scanAlone(
    _ arguments: [String]
  ) -> Result<[ArgumentToken], UsageError> {
    let names = OptionName.allCases
    // The C strings live until this function returns; the scanner may reorder `argv` only.
    let strings = unsafe (["nyaru-sync"] + arguments).map { unsafe strdup($0) }
    let table = unsafe names.map { name in
      unsafe option(
        name: strdup(name.rawValue), has_arg: name.argument == nil ? 0 : 1, flag: nil, val: 0)
    }
    defer {
      unsafe strings.forEach { unsafe free($0) }
      unsafe table.forEach { unsafe free(UnsafeMutableRawPointer(mutating: $0.name)) }
    }
    var argv = unsafe strings + [nil]
    let end = unsafe option(name: nil, has_arg: 0, flag: nil, val: 0)

    cgetopt_restart()
    var tokens: [ArgumentToken] = []
    while true {
      var index: CInt = -1
      let code = unsafe getopt_long(
        CInt(strings.count), &argv, letters, table + [end], &index)
      let value = unsafe cgetopt_argument().map { unsafe String(cString: $0) }
      switch code {
      case -1:
        return .success(tokens + arguments.dropFirst(Int(cgetopt_index()) - 1).map { .operand($0) })
      case 0: tokens.append(.option(names[Int(index)], value))
      case 1: tokens.append(.operand(value ?? ""))
      default:
        guard let name = names.first(where: { $0.code == code }) else {
          return .failure(failure(of: arguments[max(0, Int(cgetopt_index()) - 2)]))
        }
        tokens.append(.option(name, value))
      }
    }
  }

  /// A dash hands operands out in their order, a colon tells a missing argument apart.
  private static let letters = "-:" + String(OptionName.allCases.compactMap(\.letter))

  private static func failure(of word: String) -> UsageError {
    if let letter = UInt8(exactly: cgetopt_letter()), letter != 0 {
      return UsageError(
        "unknown option -\(Character(Unicode.Scalar(letter)));"
          + " write -- before an argument that begins with a dash")
    }
    let given = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
    let all = OptionName.allCases
    let candidates =
      all.filter { $0.rawValue == given }.first.map { [$0] }
      ?? all.filter { $0.rawValue.hasPrefix(given) }
    switch (candidates.first, candidates.count) {
    case (nil, _):
      let suggestion = Suggestion.text(for: given, among: all.map(\.rawValue), prefix: "--")
      return UsageError("unknown option --\(given)" + suggestion)
    case (let name?, 1):
      let argument = name.argument.map { "needs an argument: --\(name.rawValue) \($0)" }
      return UsageError("--\(name.rawValue) \(argument ?? "takes no argument")")
    default:
      let list = candidates.map { "--" + $0.rawValue }.joined(separator: ", ")
      return UsageError("--\(given) is ambiguous: \(list)")
    }
  }
}

extension OptionName {
  /// What the scanner returns for the one-letter form.
  fileprivate var code: CInt? { letter?.asciiValue.map(CInt.init) }
}
