import NyaruEngine
import NyaruSyncServer

/// `key new`, `rekey` and `token`.
extension CommandRunner {
  func newKey(output: StreamName) throws {
    try KeyFile.write(KeyText.encode(.random(), as: .key), to: output)
    if case .file(let path) = output {
      console.note("wrote a new key to \(path); what it encrypts cannot be read without it")
    }
  }

  func rekey(_ location: DatabaseLocation, newKeyFile: String) async throws {
    let key = try KeyFile.read(newKeyFile, as: .key, on: console)
    try await withDatabase(location) { database in
      try await database.changeKey(to: .key(key))
    }
    if console.isJSON {
      try console.data(JSONOutput.object([("rekeyed", .string("at-rest"))]).line)
    }
    console.note("\(location.directory) opens with the key in \(newKeyFile) from now on")
  }

  func newToken(store: String, scopes: TokenScopes) throws {
    let tokens = try TokenStore(storePath: store)
    let (text, entry) = try tokens.create(scopes: scopes)
    // The token comes last, also for who reads both streams as one.
    console.note("token \(entry.id) allows \(entry.scopes.text); it is shown this once")
    try console.result(
      .object([
        ("id", .string(entry.id)), ("scopes", .string(entry.scopes.text)), ("token", .string(text)),
      ]),
      text: text)
  }
}
