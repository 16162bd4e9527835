import NyaruEngine
import NyaruSyncServer

/// `key new` and `token`.
extension CommandRunner {
  func newKey(output: StreamName) throws {
    try KeyFile.write(KeyText.encode(.random(), as: .key), to: output)
    if case .file(let path) = output {
      console.note("wrote a new key to \(path); what it encrypts cannot be read without it")
    }
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
