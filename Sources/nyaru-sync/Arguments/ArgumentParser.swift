import NyaruSyncServer

/// Turns a command line into an ``Invocation``. Reads nothing but its arguments.
package struct ArgumentParser {
  /// Environment variables; those for key and token files stand in for their options.
  let environment: [String: String]

  package init(environment: [String: String] = [:]) {
    self.environment = environment
  }

  /// The invocation that `arguments`, without the program's name, stand for.
  package func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    var operands: [String] = []
    var options: [(OptionName, String?)] = []
    for token in try ArgumentScanner.scan(arguments) {
      switch token {
      case .operand(let text): operands.append(text)
      case .option(let name, let value): options.append((name, value))
      }
    }
    let verb = try operands.first.map { text throws(UsageError) in try Self.verb(text) }
    if options.contains(where: { $0.0 == .version }) { return Invocation(.showVersion) }
    if options.contains(where: { $0.0 == .help }) { return Invocation(.showHelp(verb)) }
    guard let verb, let definition = CommandTable.definition(of: verb) else {
      throw UsageError("a command is missing")
    }
    let list = try ArgumentList(
      definition, operands: Array(operands.dropFirst()), options: options)
    return Invocation(
      try action(verb, list), isJSON: list.has(.json), isQuiet: list.has(.quiet))
  }

  private static func verb(_ text: String) throws(UsageError) -> Verb {
    if let verb = Verb(rawValue: text) { return verb }
    let suggestion = Suggestion.text(for: text, among: Verb.allCases.map(\.rawValue))
    throw UsageError("unknown command \(text)" + suggestion)
  }

  private func action(_ verb: Verb, _ list: ArgumentList) throws(UsageError) -> Action {
    switch verb {
    case .initialize:
      .initialize(database(list), vaultKeyFile: list.value(.vaultKey))
    case .import: .importDocuments(collection(list), try importRequest(list))
    case .export: .export(collection(list), output: StreamName(list.operand(2)))
    case .put: .put(collection(list), idField: list.value(.idField))
    case .get: .get(collection(list), id: list.operands[2])
    case .delete: .delete(collection(list), ids: Array(list.operands.dropFirst(2)))
    case .find: .find(collection(list), try findRequest(list))
    case .sync: .exchange(try exchangeRequest(.both, list))
    case .push: .exchange(try exchangeRequest(.push, list))
    case .pull: .exchange(try exchangeRequest(.pull, list))
    case .conflicts: .conflicts(database(list), collection: list.operand(1))
    case .resolve:
      .resolve(collection(list), id: list.operands[2], version: try list.number(.keep))
    case .status: .status(database(list))
    case .key: try keyAction(list)
    case .rekey: try rekeyAction(list)
    case .token: try tokenAction(list)
    case .serve: .serve(try serveRequest(list))
    case .compact: .compact(database(list))
    case .check: .check(database(list), repairs: list.has(.repair))
    case .help:
      .showHelp(try list.operand(0).map { text throws(UsageError) in try Self.verb(text) })
    }
  }

  private func database(_ list: ArgumentList, operand: Int = 0) -> DatabaseLocation {
    let keyFile = list.value(.key) ?? environment["NYARU_KEY_FILE"].flatMap(nonEmpty)
    return DatabaseLocation(
      list.operands[operand], keyFile: keyFile,
      isKeyOptional: keyFile != nil && !list.has(.key))
  }

  private func collection(_ list: ArgumentList) -> CollectionLocation {
    CollectionLocation(database(list), list.operands[1])
  }

  private func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

  private func importRequest(_ list: ArgumentList) throws(UsageError) -> ImportRequest {
    var request = ImportRequest()
    request.input = StreamName(list.operand(2))
    request.idField = list.value(.idField)
    request.partitionKey = list.value(.partitionKey)
    request.indexedFields = try list.list(.index)
    request.replacesExisting = list.has(.upsert)
    return request
  }

  private func findRequest(_ list: ArgumentList) throws(UsageError) -> FindRequest {
    var request = FindRequest()
    request.expression = list.value(.where)
    request.limit = try list.number(.limit)
    request.offset = try list.number(.offset) ?? 0
    request.countsOnly = list.has(.count)
    request.sort = list.values(.sort).map { text in
      if text.hasSuffix(":desc") { return .init(String(text.dropLast(5)), isAscending: false) }
      if text.hasSuffix(":asc") { return .init(String(text.dropLast(4))) }
      return .init(text)
    }
    return request
  }

  private func exchangeRequest(
    _ direction: ExchangeRequest.Direction, _ list: ArgumentList
  ) throws(UsageError) -> ExchangeRequest {
    let local = database(list)
    let target = list.operands[1]
    let isEndpoint = target.hasPrefix("http://") || target.hasPrefix("https://")
    if list.operands[0].hasPrefix("http://") || list.operands[0].hasPrefix("https://") {
      throw UsageError("A is a directory; the endpoint stands behind it", verb: list.verb)
    }
    let tokenFile = list.value(.tokenFile) ?? environment["NYARU_TOKEN_FILE"].flatMap(nonEmpty)
    if list.has(.tokenFile), !isEndpoint {
      throw UsageError(
        "--token-file is for endpoints, and \(target) is a directory", verb: list.verb)
    }
    let peerKey = list.value(.peerKey) ?? local.keyFile
    let isKeyOptional = peerKey != nil && !list.has(.peerKey)
    var request = ExchangeRequest(
      direction, local: local,
      peer: isEndpoint
        ? .endpoint(url: target, tokenFile: tokenFile, allowsInsecure: list.has(.insecure))
        : .directory(
          DatabaseLocation(target, keyFile: peerKey, isKeyOptional: isKeyOptional)))
    request.isDryRun = list.has(.dryRun)
    request.joins = list.has(.join)
    return request
  }

  private func keyAction(_ list: ArgumentList) throws(UsageError) -> Action {
    switch list.operands[0] {
    case "new":
      guard list.operands.count <= 2 else {
        throw UsageError("\(list.operands[2]) is one argument too many", verb: .key)
      }
      return .newKey(output: StreamName(list.operand(1)))
    case "export":
      guard list.operands.count > 1 else { throw UsageError("DIR is missing", verb: .key) }
      return .exportKey(database(list, operand: 1), output: StreamName(list.operand(2)))
    case let other: throw UsageError("write `key new` or `key export`, not \(other)", verb: .key)
    }
  }

  private func rekeyAction(_ list: ArgumentList) throws(UsageError) -> Action {
    guard list.has(.atRest) else {
      throw UsageError(
        "say --at-rest: the key of the files changes; a vault's key cannot, only the vault",
        verb: .rekey)
    }
    let named = list.value(.newKey) ?? environment["NYARU_NEW_KEY_FILE"].flatMap(nonEmpty)
    guard let named else { throw UsageError("--new-key FILE is missing", verb: .rekey) }
    return .rekey(database(list), newKeyFile: named)
  }

  private func tokenAction(_ list: ArgumentList) throws(UsageError) -> Action {
    guard list.operands[0] == "new" else {
      throw UsageError("write `token new`, not \(list.operands[0])", verb: .token)
    }
    let store = try list.required(.store)
    let text = list.value(.scopes) ?? TokenScopes.all.text
    guard let scopes = TokenScopes(text) else {
      throw UsageError("\(text) are no scopes; there are \(TokenScopes.all.text)", verb: .token)
    }
    return .newToken(store: store, scopes: scopes)
  }

  private func serveRequest(_ list: ArgumentList) throws(UsageError) -> ServeRequest {
    let store = try list.required(.store)
    let text = try list.required(.listen)
    guard let address = ListenAddress(text) else {
      throw UsageError(
        "\(text) is no address to listen on; write HOST:PORT, such as 127.0.0.1:8080",
        verb: .serve)
    }
    var request = ServeRequest(store: store, address: address)
    request.allowsInsecure = list.has(.insecure)
    request.certificateFile = list.value(.certificate)
    request.privateKeyFile = list.value(.privateKey)
    return request
  }
}
