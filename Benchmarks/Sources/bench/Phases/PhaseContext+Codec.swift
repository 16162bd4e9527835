import FoundationEssentials
import Nyaru

/// The coders alone.
extension PhaseContext {
  func codec() async throws {
    let users = source.users(0..<1000)
    let rounds = 50
    switch engine {
    case .sqliteJSON: try await json(users, rounds: rounds)
    default: try await messagePack(users, rounds: rounds)
    }
  }

  private func messagePack(_ users: [User], rounds: Int) async throws {
    let encoder = DocumentEncoder()
    let decoder = DocumentDecoder()
    let bodies = try users.map { try encoder.encode($0) }
    var encoding = Stopwatch()
    var decoding = Stopwatch()
    var sum = 0
    for _ in 0..<rounds {
      try await encoding.time { for user in users { sum &+= try encoder.encode(user).count } }
      try await decoding.time {
        for body in bodies { sum &+= try decoder.decode(User.self, from: body).age }
      }
    }
    try finish(encoding, decoding, operations: rounds * users.count, sum: sum)
  }

  private func json(_ users: [User], rounds: Int) async throws {
    let encoder = JSONEncoder()
    let decoder = JSONDecoder()
    let bodies = try users.map { try encoder.encode($0) }
    var encoding = Stopwatch()
    var decoding = Stopwatch()
    var sum = 0
    for _ in 0..<rounds {
      try await encoding.time { for user in users { sum &+= try encoder.encode(user).count } }
      try await decoding.time {
        for body in bodies { sum &+= try decoder.decode(User.self, from: body).age }
      }
    }
    try finish(encoding, decoding, operations: rounds * users.count, sum: sum)
  }

  private func finish(
    _ encoding: Stopwatch, _ decoding: Stopwatch, operations: Int, sum: Int
  ) throws {
    guard sum > 0 else { throw EngineError("nothing was coded") }
    try recorder.record(.encode, operations: operations, encoding)
    try recorder.record(.decode, operations: operations, decoding)
  }
}
