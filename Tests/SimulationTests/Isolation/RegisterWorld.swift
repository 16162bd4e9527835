import NyaruEngine
import Synchronization
import TestSupport

/// Eight tasks that work on sixteen ids at once, and what they were answered.
final class RegisterWorld: Sendable {
  static let ids = 0..<16
  static let taskCount = 8
  static let callsPerTask = 4

  private let items: NyaruCollection<Item>
  private let clock = Atomic(0)
  private let values = Atomic(0)

  init(_ items: NyaruCollection<Item>) { self.items = items }

  /// Runs all tasks to their ends; the calls of each id.
  func play(seed: UInt64) async throws -> [Int: [RegisterCall]] {
    let calls = try await withThrowingTaskGroup(of: [RegisterCall].self) { group in
      for number in 0..<Self.taskCount {
        group.addTask { [self] in
          try await run(seed: seed &* 64 &+ UInt64(number), isWriterOfBatches: number == 0)
        }
      }
      group.addTask { [self] in
        try await keepUp(seed)
        return []
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    return Dictionary(grouping: calls, by: \.id)
  }

  /// The value of each id, when nobody writes.
  func contents() async throws -> [Int: Int] {
    Dictionary(uniqueKeysWithValues: try await items.all().map { ($0.id, $0.number) })
  }

  private func keepUp(_ seed: UInt64) async throws {
    switch seed % 40 {
    case 0: try await items.sync()
    case 1: try await items.compact()
    case 2: try await items.core.checkpoint()
    default: break
    }
  }

  private func run(seed: UInt64, isWriterOfBatches: Bool) async throws -> [RegisterCall] {
    var random = SeededGenerator(seed: seed)
    var calls: [RegisterCall] = []
    for _ in 0..<Self.callsPerTask {
      // Half of the calls meet at two ids.
      let isPopular = Bool.random(using: &random)
      let id = Int.random(in: isPopular ? 0..<2 : Self.ids, using: &random)
      if isWriterOfBatches, Int.random(in: 0..<3, using: &random) == 0 {
        calls += try await batch(id, (id + 1) % Self.ids.count)
      } else {
        let kind = Int.random(in: 0..<10, using: &random)
        let invoked = tick()
        let action = try await act(kind, on: id)
        calls.append(RegisterCall(id: id, action: action, invoked: invoked, returned: tick()))
      }
    }
    return calls
  }

  private func tick() -> Int { clock.add(1, ordering: .sequentiallyConsistent).newValue }

  private func newItem(_ id: Int) -> Item {
    let value = values.add(1, ordering: .sequentiallyConsistent).newValue
    return Item(id, value, size: value % 50)
  }

  private func act(_ kind: Int, on id: Int) async throws -> RegisterCall.Action {
    let item = newItem(id)
    switch kind {
    case 0, 1: return .read(try await items.get(id: id)?.number)
    case 2: return .read(try items.snapshot().document(id: id)?.number)
    case 3: return .read(try await items.find().where("id", isEqualTo: id).first()?.number)
    case 4, 5:
      do throws(NyaruError) {
        try await items.insert(item)
        return .insert(item.number, isNew: true)
      } catch  where error == .duplicateID(.integer(Int64(id))) {
        return .insert(item.number, isNew: false)
      }
    case 6:
      do throws(NyaruError) {
        try await items.update(item)
        return .update(item.number, isThere: true)
      } catch  where error == .documentNotFound(.integer(Int64(id))) {
        return .update(item.number, isThere: false)
      }
    case 7, 8: return .delete(isThere: try await items.delete(id: id))
    default:
      try await items.upsert(item)
      return .upsert(item.number)
    }
  }

  /// Two ids at once: to each of them, a call of its own.
  private func batch(_ first: Int, _ second: Int) async throws -> [RegisterCall] {
    let documents = [newItem(first), newItem(second)]
    let invoked = tick()
    try await items.writeBatch { batch in
      for document in documents { batch.upsert(document) }
    }
    let returned = tick()
    return documents.map { document in
      RegisterCall(
        id: document.id, action: .upsert(document.number), invoked: invoked, returned: returned)
    }
  }
}
