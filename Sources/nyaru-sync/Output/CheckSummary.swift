/// What `check` found, collection by collection.
package struct CheckSummary: Equatable, Sendable {
  /// Bytes that are not what was written there.
  package struct Damage: Equatable, Sendable {
    package var file: String
    package var offset: UInt64
    package var reason: String

    /// The document, where it is known.
    package var id: String?

    package init(file: String, offset: UInt64, reason: String, id: String? = nil) {
      self.file = file
      self.offset = offset
      self.reason = reason
      self.id = id
    }
  }

  /// One collection, or what is in its place.
  package struct Collection: Equatable, Sendable {
    package var name: String
    package var documents = 0
    package var deletionMarkers = 0
    package var bytes: UInt64 = 0
    package var damage: [Damage] = []

    /// Files in `quarantine`, from this recovery or earlier ones.
    package var quarantined: [String] = []

    /// Why it does not open at all.
    package var failure: String?

    package init(name: String) { self.name = name }

    package var isSound: Bool { damage.isEmpty && failure == nil }
  }

  package var collections: [Collection] = []

  /// Files of peers in `sync` that do not read.
  package var damagedPeers: [String] = []

  package init() {}

  package var isSound: Bool { collections.allSatisfy(\.isSound) && damagedPeers.isEmpty }

  package var exitCode: ExitCode { isSound ? .clean : .damage }

  package var json: JSONOutput {
    .object([
      ("sound", .bool(isSound)),
      ("collections", .array(collections.map(Self.json(of:)))),
      ("damagedPeers", .array(damagedPeers.map(JSONOutput.string))),
    ])
  }

  private static func json(of collection: Collection) -> JSONOutput {
    let damage = collection.damage.map { damage in
      JSONOutput.object([
        ("file", .string(damage.file)), ("offset", .unsigned(damage.offset)),
        ("reason", .string(damage.reason)), ("id", damage.id.map(JSONOutput.string) ?? .null),
      ])
    }
    return .object([
      ("name", .string(collection.name)), ("documents", .integer(collection.documents)),
      ("deletionMarkers", .integer(collection.deletionMarkers)),
      ("bytes", .unsigned(collection.bytes)), ("damage", .array(damage)),
      ("quarantined", .array(collection.quarantined.map(JSONOutput.string))),
      ("failure", collection.failure.map(JSONOutput.string) ?? .null),
    ])
  }

  package var text: String {
    var lines: [String] = []
    for collection in collections {
      if let failure = collection.failure {
        lines.append("\(collection.name): does not open: \(failure)")
        continue
      }
      let size = ProgressLine.size(Int(clamping: collection.bytes))
      let state = collection.isSound ? "sound" : "damaged"
      let count = Noun.text(collection.documents, "document")
      lines.append("\(collection.name): \(count), \(size), \(state)")
      for damage in collection.damage {
        let id = damage.id.map { " (document \($0))" } ?? ""
        lines.append("  \(damage.file), byte \(damage.offset): \(damage.reason)\(id)")
      }
      if !collection.quarantined.isEmpty {
        let count = Noun.text(collection.quarantined.count, "file")
        lines.append("  quarantine holds \(count) of bytes that did not read; remove it at will")
      }
    }
    for name in damagedPeers {
      lines.append("sync/\(name) does not read; the next sync compares everything")
    }
    if !isSound { lines.append("check --repair rebuilds what can be rebuilt") }
    return lines.isEmpty ? "no collections" : lines.joined(separator: "\n")
  }
}
