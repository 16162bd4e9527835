/// The options and operands of one call, matched with what its command takes.
struct ArgumentList {
  let verb: Verb
  let operands: [String]
  private let options: [(name: OptionName, value: String?)]

  /// Checks the tokens behind the verb against the definition.
  init(
    _ definition: CommandDefinition, operands: [String], options: [(OptionName, String?)]
  ) throws(UsageError) {
    verb = definition.verb
    self.operands = operands
    self.options = options.map { (name: $0.0, value: $0.1) }
    let taken = definition.allOptions
    for (name, _) in options where !taken.contains(name) {
      throw UsageError("it takes no --\(name.rawValue)", verb: verb)
    }
    for name in taken where name != .sort && options.count(where: { $0.0 == name }) > 1 {
      throw UsageError("--\(name.rawValue) was given more than once", verb: verb)
    }
    guard operands.count >= definition.required.count else {
      throw UsageError("\(definition.required[operands.count]) is missing", verb: verb)
    }
    let isOpen = definition.optional.last?.hasSuffix("…") ?? false
    let limit = definition.required.count + definition.optional.count
    guard isOpen || operands.count <= limit else {
      throw UsageError("\(operands[limit]) is one argument too many", verb: verb)
    }
  }

  func has(_ name: OptionName) -> Bool { options.contains { $0.name == name } }

  func value(_ name: OptionName) -> String? { options.first { $0.name == name }?.value }

  func values(_ name: OptionName) -> [String] {
    options.filter { $0.name == name }.compactMap(\.value)
  }

  func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }

  /// The argument of an option that must be there.
  func required(_ name: OptionName) throws(UsageError) -> String {
    guard let value = value(name) else {
      throw UsageError("--\(name.rawValue) \(name.argument ?? "") is missing", verb: verb)
    }
    return value
  }

  /// The argument of an option as a count.
  func number(_ name: OptionName) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw UsageError("--\(name.rawValue) takes a whole number, not \(text)", verb: verb)
    }
    return number
  }

  /// The argument of an option as a list with commas, in which no element is empty.
  func list(_ name: OptionName) throws(UsageError) -> [String]? {
    guard let text = value(name) else { return nil }
    let elements = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard elements.allSatisfy({ !$0.isEmpty }) else {
      throw UsageError("--\(name.rawValue) takes names with commas between them", verb: verb)
    }
    return elements
  }
}
