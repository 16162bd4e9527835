import NyaruEngine
import NyaruSyncHTTP
import NyaruSyncLog

/// `sync`, `push` and `pull`.
extension CommandRunner {
  func exchange(_ request: ExchangeRequest) async throws -> ExitCode {
    let report = try await withDatabase(request.local) { database in
      switch request.peer {
      case .endpoint(let url, let tokenFile, let allowsInsecure):
        let peer = try endpoint(url, tokenFile: tokenFile, allowsInsecure: allowsInsecure)
        return try await exchange(request, of: database, with: peer, joins: false)
      case .directory(let location):
        guard location.directory != request.local.directory else {
          throw CommandFailure(.usage, "\(location.directory) cannot sync with itself")
        }
        return try await withDatabase(location) { other in
          // Two new databases join each other; so far nobody else shares the vault of either.
          let areNew = try isFree(database) && isFree(other)
          return try await exchange(
            request, of: database, with: .directory(other), joins: areNew)
        }
      }
    }
    let summary = ExchangeSummary(report, isDryRun: request.isDryRun)
    if console.isJSON || !console.isQuiet {
      try console.result(summary.json, text: summary.text)
    }
    return summary.exitCode
  }

  private func exchange(
    _ request: ExchangeRequest, of database: NyaruDB, with peer: Peer, joins: Bool
  ) async throws -> SyncReport {
    let bar = ProgressBar("sync", on: console)
    defer { bar.clear() }
    let options = SyncOptions(
      isDryRun: request.isDryRun, joins: request.joins || joins,
      progress: { bar.update(documents: $0.records, bytes: $0.bytes) })
    let replica = Replica(database)
    return switch request.direction {
    case .both: try await replica.sync(with: peer, options: options)
    case .push: try await replica.push(to: peer, options: options)
    case .pull: try await replica.pull(from: peer, options: options)
    }
  }

  private func isFree(_ database: NyaruDB) throws -> Bool {
    let directory = database.directory
    return try directory.vault() == nil || directory.isVaultNew
  }

  private func endpoint(
    _ url: String, tokenFile: String?, allowsInsecure: Bool
  ) throws -> Peer {
    let address: EndpointAddress
    do throws(EndpointAddress.Failure) {
      address = try EndpointAddress(url, allowsInsecureHosts: allowsInsecure)
    } catch {
      throw CommandFailure(.usage, "\(url): \(error)")
    }
    let token = try tokenFile.map { path throws(CommandFailure) in
      KeyText.encode(try KeyFile.read(path, as: .token, on: console), as: .token)
    }
    return try .endpoint(address, token: token)
  }
}
