import NyaruEngine
import NyaruSyncLog

/// `init` and `key export`: a database, and the vault that it belongs to.
extension CommandRunner {
  func initialize(_ location: DatabaseLocation, vaultKeyFile: String?) async throws {
    let path = location.directory
    let key = try location.keyFile.map { path throws(CommandFailure) in
      try KeyFile.read(path, as: .key, on: console)
    }
    let vaultKey = try vaultKeyFile.map { path throws(CommandFailure) in
      try KeyFile.read(path, as: .vault, on: console)
    }
    try refuseExisting(path)
    let database: NyaruDB
    do throws(NyaruError) {
      database = try NyaruDB(path: path, options: DatabaseOptions(encryptionKey: key))
    } catch {
      guard case .damaged(_, let reason) = error else { throw error }
      throw CommandFailure(.usage, "\(path) is \(reason)")
    }
    let replica = Replica(database)
    if let vaultKey { try await replica.join(vaultKey) }
    let vault = try await replica.vault()
    let id = try await replica.status().databaseID
    try await database.close()
    if console.isJSON {
      let fields: [(String, JSONOutput)] = [
        ("databaseID", .string(id)), ("vault", .string(vault)),
        ("encrypted", .bool(key != nil)),
      ]
      try console.data(JSONOutput.object(fields).line)
    } else {
      console.note(
        "made \(key == nil ? "a database" : "an encrypted database") in \(path), vault \(vault)")
    }
  }

  func exportKey(_ location: DatabaseLocation, to output: StreamName) async throws {
    try await withDatabase(location) { database in
      let key = try await Replica(database).exportVaultKey()
      try KeyFile.write(KeyText.encode(key, as: .vault), to: output)
    }
    if case .file(let path) = output {
      console.note("wrote the vault key to \(path); who has it can read the vault")
    }
  }

  private func refuseExisting(_ path: String) throws(CommandFailure) {
    do throws(NyaruError) {
      _ = try NyaruDB(path: path, options: DatabaseOptions(createIfMissing: false))
    } catch {
      if case .databaseNotFound = error { return }
      // It is there, whatever else is wrong with it.
    }
    throw CommandFailure(.usage, "there is a database in \(path) already")
  }
}
