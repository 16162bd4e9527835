import Testing

/// One mix of things that happen to replicas and endpoints, with probabilities per step.
struct ModelCase: Sendable, CustomTestStringConvertible {
  var name: String
  var replicas = 3
  var endpoints = 2
  var steps = 40
  var deletes = 0.15

  /// Requests and answers that are lost.
  var lost = 0.0

  /// Syncs that end at a failing disk.
  var crash = 0.0
  var wipe = 0.0
  var restore = 0.0
  var copies = 0.0

  /// Copies that are found when the directory is opened.
  var foundCopies = 0.0
  var damage = 0.0

  /// Whether replicas also pull from one another.
  var hasPeers = false

  /// Whether nothing that was replaced may come back: forgotten records may.
  var isStrict = true

  var testDescription: String { name }

  static let all: [ModelCase] = [
    ModelCase(name: "edits, deletes, resolves, two endpoints", replicas: 4, deletes: 0.3),
    ModelCase(
      name: "with peers, lost answers, crashes", lost: 0.2, crash: 0.2, hasPeers: true),
    ModelCase(
      name: "endpoint wiped and restored", endpoints: 1, lost: 0.1, crash: 0.1, wipe: 0.01,
      restore: 0.03),
    ModelCase(
      name: "two endpoints, wiped and restored, peers", lost: 0.1, crash: 0.1, wipe: 0.005,
      restore: 0.02, hasPeers: true),
    ModelCase(name: "records forgotten", lost: 0.1, damage: 0.03, isStrict: false),
    ModelCase(
      name: "directories copied, seen at open", lost: 0.1, crash: 0.1, copies: 0.04,
      foundCopies: 1, hasPeers: true, isStrict: false),
    ModelCase(
      name: "directories copied, one endpoint, ticket only", endpoints: 1, lost: 0.1,
      copies: 0.04, isStrict: false),
    ModelCase(
      name: "everything, copies seen at open", lost: 0.1, crash: 0.1, wipe: 0.005,
      restore: 0.02, copies: 0.03, foundCopies: 1, damage: 0.02, hasPeers: true,
      isStrict: false),
  ]

  static func named(_ name: String) -> ModelCase? { all.first { $0.name == name } }
}

/// A rule that is left out, to see that the model misses it.
enum BrokenRule: Sendable {
  /// The endpoint accepts every ticket.
  case ticket

  /// A replica that forgot a record goes on under its name.
  case forgetting
}
