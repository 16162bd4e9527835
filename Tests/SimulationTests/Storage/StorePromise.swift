import NyaruEngine
import TestSupport

/// What a store holds: bodies by id.
typealias StoreState = [Int: [UInt8]]

/// Something that a store must never do.
struct BrokenPromise: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// What a crash may leave of a store's history.
///
/// A kill loses nothing that was acknowledged, a power cut nothing that was synced; and either may
/// leave what the call under way was about to write, whole.
struct StorePromise {
  /// The states that the store went through and acknowledged.
  private(set) var states: [StoreState] = [[:]]

  /// The first of the states that a power cut may leave.
  private(set) var synced = 0

  /// The state that the call under way leads to.
  var attempt: StoreState?

  /// Sequences up to this one were given out, and must not be given out again.
  var lastSequence: UInt64 = 0

  /// The call under way gives out sequences up to this one, if it comes to write slots.
  var attemptedSequence: UInt64 = 0

  /// The power was cut since the store was open: another kill takes no more than that did.
  private(set) var isCut = false

  var acknowledged: StoreState { states[states.count - 1] }
  var acknowledgedIndex: Int { states.count - 1 }

  /// Ids whose bodies have not changed in the last states.
  var steadyIDs: [Int] {
    guard attempt == nil, states.count > 4 else { return [] }
    let last = acknowledged
    return last.keys.sorted().filter { id in states.suffix(4).allSatisfy { $0[id] == last[id] } }
  }

  mutating func acknowledge(_ state: StoreState) {
    states.append(state)
    attempt = nil
  }

  /// States from that one on survive a power cut.
  mutating func noteSync(of index: Int) { synced = max(synced, index) }

  /// The store was opened, and what it holds now is durable.
  mutating func settle(_ state: StoreState, lastSequence: UInt64) {
    self = StorePromise()
    states = [state]
    self.lastSequence = lastSequence
  }

  /// The store was opened on a full disk: what it holds can be read, and nothing more was made
  /// durable.
  mutating func show(_ state: StoreState) {
    if acknowledged != state { states.append(state) }
    attempt = nil
  }

  /// A crash in a call, or between two, after these calls of the operation that was under way.
  mutating func crash(
    _ survival: Survival, during event: DiskEvent? = nil, after events: ArraySlice<DiskEvent>
  ) {
    if survival != .kill { isCut = true }
    // What was written under a sequence may turn up again. What a kill leaves of the call itself is
    // there for the next owner to see.
    let isWritten = events.contains(where: \.isSlotWrite)
    let isPending = survival != .kill && event?.isSlotWrite ?? false
    if attempt != nil, isWritten || isPending {
      lastSequence = max(lastSequence, attemptedSequence)
    }
    attemptedSequence = 0
  }

  /// Whether a state is allowed after the crash, as far as a filter of ids lets it be seen.
  func allows(
    _ state: StoreState, after survival: Survival, ignoring hidden: Int? = nil
  ) -> Bool {
    let first = survival == .kill && !isCut ? states.count - 1 : synced
    if state == attempt || states[first...].contains(state) { return true }
    guard let hidden else { return false }
    let seen = state.filter { $0.key != hidden }
    let others = states[first...] + (attempt.map { [$0] } ?? [])
    return others.contains { other in other.filter { $0.key != hidden } == seen }
  }

  /// Says what is wrong with a state that is not allowed.
  func complaint(about state: StoreState, after survival: Survival) -> String {
    let place = states.firstIndex(of: state).map { "\($0)" } ?? "none"
    let last = acknowledged
    let ids = Set(state.keys).union(last.keys).filter { state[$0] != last[$0] }.sorted()
    let values = ids.map { id in
      "\(id) has \(Self.text(state[id])), acknowledged \(Self.text(last[id])),"
        + " attempted \(Self.text(attempt?[id]))"
    }
    return "after \(survival) state \(place) of \(states.count), synced \(synced):"
      + " \(values.joined(separator: "; "))"
  }

  private static func text(_ body: [UInt8]?) -> String {
    body.map { String(decoding: $0.prefix(8), as: UTF8.self) + " (\($0.count))" } ?? "nothing"
  }
}

extension DiskEvent {
  /// Whether slots are written: neither a cell of the head nor the header of a shard.
  fileprivate var isSlotWrite: Bool {
    guard case .write(_, let offset, let bytes) = self, offset >= ShardHeader.size else {
      return false
    }
    let magic = (0..<4).map { UInt8(truncatingIfNeeded: HeadCell.magic >> (8 * $0)) }
    return !bytes.starts(with: magic)
  }
}
