/// One call on one id, and what it answered.
struct RegisterCall: Sendable {
  /// What was asked, with the answer.
  enum Action: Sendable, Equatable {
    case read(Int?)
    case insert(Int, isNew: Bool)
    case update(Int, isThere: Bool)
    case upsert(Int)
    case delete(isThere: Bool)
  }

  var id: Int
  var action: Action

  /// Moments on a clock that all tasks share.
  var invoked: Int
  var returned: Int
}

/// The calls on one id, which must look as if they came one after the other.
///
/// The search is that of Wing and Gong, which puts the calls in an order that respects who
/// returned before whom began; what was tried is remembered, as Lowe does.
struct RegisterHistory {
  private static let callLimit = 64

  private let calls: [RegisterCall]
  private var tried: Set<Place> = []

  /// The calls that were put in order, and the value behind them.
  private struct Place: Hashable {
    var taken: UInt64
    var value: Int?
  }

  init(_ calls: [RegisterCall]) {
    precondition(calls.count <= Self.callLimit, "one bit for each call")
    self.calls = calls
  }

  /// The values that an id may have after the calls, given those before; none if no order
  /// explains the answers.
  static func outcomes(of calls: [RegisterCall], from value: Int?) -> Set<Int?> {
    var history = RegisterHistory(calls)
    var outcomes: Set<Int?> = []
    history.search(Place(taken: 0, value: value), depth: 0, &outcomes)
    return outcomes
  }

  private mutating func search(_ place: Place, depth: Int, _ outcomes: inout Set<Int?>) {
    if depth == calls.count {
      outcomes.insert(place.value)
      return
    }
    guard tried.insert(place).inserted else { return }
    let open = calls.indices.filter { place.taken & (1 << UInt64($0)) == 0 }
    let firstReturn = open.map { calls[$0].returned }.min() ?? .max
    for index in open where calls[index].invoked < firstReturn {
      guard let value = calls[index].action.applied(to: place.value) else { continue }
      let next = Place(taken: place.taken | (1 << UInt64(index)), value: value)
      search(next, depth: depth + 1, &outcomes)
    }
  }
}

extension RegisterCall.Action {
  /// The value after the action, or `nil` if the answer is not what that value gives.
  fileprivate func applied(to value: Int?) -> Int?? {
    switch self {
    case .read(let seen): seen == value ? .some(value) : nil
    case .insert(let new, let isNew):
      isNew == (value == nil) ? .some(isNew ? new : value) : nil
    case .update(let new, let isThere):
      isThere == (value != nil) ? .some(isThere ? new : value) : nil
    case .upsert(let new): .some(new)
    case .delete(let isThere): isThere == (value != nil) ? .some(nil) : nil
    }
  }
}
