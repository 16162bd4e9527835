import NyaruSyncServer

/// Carries out actions. Each family of commands is an extension in a file of its own.
struct CommandRunner: Sendable {
  let console: Console

  /// Where the signals arrive that end an endpoint; made before there are other threads.
  var signals: SignalWaiter?

  /// Does it, and says with which status to end.
  func run(_ action: Action) async throws -> ExitCode {
    switch action {
    case .showHelp(let verb): try showHelp(verb)
    case .showVersion: try console.data(HelpText.version)
    case .initialize(let location, let vaultKeyFile):
      try await initialize(location, vaultKeyFile: vaultKeyFile)
    case .importDocuments(let location, let request):
      try await importDocuments(location, request)
    case .export(let location, let output): try await export(location, to: output)
    case .put(let location, let idField): try await put(location, idField: idField)
    case .get(let location, let id): try await get(location, id: id)
    case .delete(let location, let ids): return try await delete(location, ids: ids)
    case .find(let location, let request): try await find(location, request)
    case .compact(let location): try await compact(location)
    case .check(let location, let repairs):
      return repairs ? try await repair(location) : try await check(location)
    case .newKey(let output): try newKey(output: output)
    case .exportKey(let location, let output): try await exportKey(location, to: output)
    case .rekey(let location, let newKeyFile):
      try await rekey(location, newKeyFile: newKeyFile)
    case .newToken(let store, let scopes): try newToken(store: store, scopes: scopes)
    case .exchange(let request): return try await exchange(request)
    case .conflicts(let location, let collection):
      try await conflicts(location, collection: collection)
    case .resolve(let location, let id, let version):
      try await resolve(location, id: id, version: version)
    case .status(let location): try await status(location)
    case .serve(let request): try await serve(request)
    }
    return .clean
  }

  private func showHelp(_ verb: Verb?) throws {
    try console.data(
      verb.flatMap(CommandTable.definition).map(HelpText.page) ?? HelpText.overview())
  }
}
