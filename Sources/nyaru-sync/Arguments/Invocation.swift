package import NyaruSyncServer

/// One call of the command, with every argument understood.
package struct Invocation: Equatable, Sendable {
  package var action: Action

  /// Results as JSON.
  package var isJSON = false

  /// Neither progress nor summaries.
  package var isQuiet = false

  package init(_ action: Action, isJSON: Bool = false, isQuiet: Bool = false) {
    self.action = action
    self.isJSON = isJSON
    self.isQuiet = isQuiet
  }
}

/// What to do, and with what.
package enum Action: Equatable, Sendable {
  case showHelp(Verb?)
  case showVersion
  case initialize(DatabaseLocation, vaultKeyFile: String?)
  case importDocuments(CollectionLocation, ImportRequest)
  case export(CollectionLocation, output: StreamName)
  case put(CollectionLocation, idField: String?)
  case get(CollectionLocation, id: String)
  case delete(CollectionLocation, ids: [String])
  case find(CollectionLocation, FindRequest)
  case exchange(ExchangeRequest)
  case conflicts(DatabaseLocation, collection: String?)
  case resolve(CollectionLocation, id: String, version: Int?)
  case status(DatabaseLocation)
  case newKey(output: StreamName)
  case exportKey(DatabaseLocation, output: StreamName)
  case rekey(DatabaseLocation, newKeyFile: String)
  case newToken(store: String, scopes: TokenScopes)
  case serve(ServeRequest)
  case compact(DatabaseLocation)
  case check(DatabaseLocation, repairs: Bool)
}

/// A database, and the file that holds its key.
package struct DatabaseLocation: Equatable, Sendable {
  package var directory: String
  package var keyFile: String?

  /// The key was not named for this database, which may turn out to have none.
  package var isKeyOptional: Bool

  package init(_ directory: String, keyFile: String? = nil, isKeyOptional: Bool = false) {
    self.directory = directory
    self.keyFile = keyFile
    self.isKeyOptional = isKeyOptional
  }
}

/// A collection of a database.
package struct CollectionLocation: Equatable, Sendable {
  package var database: DatabaseLocation
  package var name: String

  package init(_ database: DatabaseLocation, _ name: String) {
    self.database = database
    self.name = name
  }
}

/// A file, or a standard stream, which the command line calls `-`.
package enum StreamName: Equatable, Sendable {
  case standard
  case file(String)

  package init(_ operand: String?) {
    self = operand.map { $0 == "-" ? .standard : .file($0) } ?? .standard
  }
}

/// What `import` reads, and into what kind of collection.
package struct ImportRequest: Equatable, Sendable {
  package var input = StreamName.standard
  package var idField: String?
  package var partitionKey: String?
  package var indexedFields: [String]?
  package var replacesExisting = false

  package init() {}
}

/// What `find` looks for.
package struct FindRequest: Equatable, Sendable {
  /// One field of the order.
  package struct Sort: Equatable, Sendable {
    package var field: String
    package var isAscending: Bool

    package init(_ field: String, isAscending: Bool = true) {
      self.field = field
      self.isAscending = isAscending
    }
  }

  package var expression: String?
  package var sort: [Sort] = []
  package var limit: Int?
  package var offset = 0
  package var countsOnly = false

  package init() {}
}

/// What `sync`, `push` and `pull` do.
package struct ExchangeRequest: Equatable, Sendable {
  package enum Direction: Equatable, Sendable {
    case both
    case push
    case pull
  }

  package var direction: Direction
  package var local: DatabaseLocation
  package var peer: PeerLocation
  package var isDryRun = false
  package var joins = false

  package init(_ direction: Direction, local: DatabaseLocation, peer: PeerLocation) {
    self.direction = direction
    self.local = local
    self.peer = peer
  }
}

/// The other side of an exchange.
package enum PeerLocation: Equatable, Sendable {
  case directory(DatabaseLocation)
  case endpoint(url: String, tokenFile: String?, allowsInsecure: Bool)
}

/// What `serve` serves, and where.
package struct ServeRequest: Equatable, Sendable {
  package var store: String
  package var address: ListenAddress
  package var allowsInsecure = false
  package var certificateFile: String?
  package var privateKeyFile: String?

  package init(store: String, address: ListenAddress) {
    self.store = store
    self.address = address
  }
}
