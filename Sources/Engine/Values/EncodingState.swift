/// The buffer and the scopes of an encoding under way.
///
/// - Only the innermost scope is written to. A container of another scope fails.
/// - The header of a container is put in its place when the scope ends, since only then its count
///   is known.
/// - A scope that throws leaves no trace in the buffer.
/// - A nested container or super encoder is a state of its own, spliced in when the scope ends in
///   which it was made, so that such containers can be used in any order.
final class EncodingState {
  // Checking accesses to these two for overlaps costs a third of all encoding. They are safe
  // without it: one thread encodes, and no function of theirs calls anything that has the state.
  @safe @exclusivity(unchecked) var writer: MessagePackWriter
  @safe @exclusivity(unchecked) var current: EncodingScope
  private var outer: [EncodingScope] = []
  var splices: [EncodingSplice] = []
  private var nextSerial = 1

  /// The first misuse that could not be thrown where it happened.
  private(set) var failure: EncodingError?

  let userInfo: [CodingUserInfoKey: any Sendable]

  /// The path of the value that this state is for.
  private let prefix: [any CodingKey]

  init(
    userInfo: [CodingUserInfoKey: any Sendable], prefix: [any CodingKey] = [], depth: Int = 0,
    capacity: Int = 512
  ) {
    self.userInfo = userInfo
    self.prefix = prefix
    writer = MessagePackWriter(capacity: capacity)
    current = EncodingScope(serial: 0, start: 0, depth: depth)
  }

  /// The MessagePack of a value on its own.
  func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
    if try writeKnown(value) {
      current.kind = .single
    } else {
      try value.encode(to: ScopeEncoder(state: self, serial: current.serial))
    }
    try finish()
    return writer.bytes()
  }

  /// Ends the outermost scope.
  func finish() throws {
    try endScope()
    current = EncodingScope(serial: -2, start: 0, depth: 0)  // No container has this serial.
    if let failure { throw failure }
    guard writer.count <= UInt32.max else { throw invalid("The value is too large to encode.") }
  }

  // MARK: Values

  /// Writes a value, through its own `encode(to:)` if need be.
  func write<T: Encodable>(_ value: T) throws {
    if try writeKnown(value) { return }
    guard outer.count < DocumentLimits.coderNesting else {
      throw invalid("Values nest more than \(DocumentLimits.coderNesting) times.", value)
    }
    outer.append(current)
    current = EncodingScope(serial: nextSerial, start: writer.count, depth: current.depth)
    nextSerial += 1
    do {
      try value.encode(to: ScopeEncoder(state: self, serial: current.serial))
      try endScope()
    } catch {
      writer.truncate(to: current.start)
      dropSplices(from: current.start)
      if let scope = outer.popLast() { current = scope }
      throw error
    }
    if let scope = outer.popLast() { current = scope }
  }

  private func endScope() throws {
    if !splices.isEmpty { try insertSplices(from: current.start) }
    switch current.kind {
    case .nothing: writer.writeMapHeader(count: 0)
    case .keyed:
      if current.mayRepeat {
        current.count = writer.removeRepeatedKeys(since: current.start + 1)
      }
      writer.endMap(at: current.start, count: current.count)
    case .unkeyed: writer.endArray(at: current.start, count: current.count)
    case .single: break
    }
  }

  /// Runs the writing of a value, and takes its entry back if it throws.
  @inline(__always)
  func entry(at newest: Int, _ write: () throws -> Void) throws {
    do { try write() } catch {
      current.newest = newest
      current.count -= 1
      writer.truncate(to: newest)
      dropSplices(from: newest)
      throw error
    }
  }

  // MARK: Containers

  /// Makes the scope a container, or fails; returns the serial for the container's own use.
  func open(_ kind: EncodingScope.Kind, in serial: Int) -> Int {
    guard serial == current.serial else {
      fail("A container was asked for outside the call of encode(to:) that it belongs to.")
      return -1
    }
    if current.kind == kind { return serial }
    guard current.kind == .nothing else {
      fail("A value was encoded in two ways at once.")
      return -1
    }
    guard current.depth < DocumentLimits.depth else {
      fail("Containers nest more than \(DocumentLimits.depth) levels.")
      return -1
    }
    current.kind = kind
    current.depth += 1
    _ = writer.beginContainer()
    return serial
  }

  /// Writes a key; the value has to follow.
  @inline(__always)
  func beginEntry(_ serial: Int, _ key: String) throws {
    guard serial == current.serial else { throw staleContainer() }
    current.count += 1
    current.newest = writer.count
    let bit = writer.writeKey(key)
    if current.keyBits & bit != 0 { noteRepeatedKey() }
    current.keyBits |= bit
  }

  /// Counts an element; the value has to follow.
  @inline(__always)
  func beginElement(_ serial: Int) throws {
    guard serial == current.serial else { throw staleContainer() }
    current.count += 1
    current.newest = writer.count
  }

  /// Makes a single value of the scope; the value has to follow.
  @inline(__always)
  func beginSingle(_ serial: Int) throws {
    guard serial == current.serial else { throw staleContainer() }
    guard current.kind == .nothing else {
      throw invalid("A value was encoded in two ways at once.")
    }
    current.kind = .single
  }

  /// A state of its own for the value of the newest entry or element.
  func splice(hasKey: Bool) -> EncodingState {
    let state = EncodingState(
      userInfo: userInfo, prefix: path(of: current.serial, withNewest: true),
      depth: current.depth, capacity: 64)
    splices.append(
      EncodingSplice(
        offset: writer.count, keyOffset: hasKey ? current.newest : nil, state: state))
    writer.writeNull()
    return state
  }

  // MARK: Errors

  func fail(_ reason: String) {
    if failure == nil { failure = invalid(reason) }
  }

  private func staleContainer() -> EncodingError {
    failure ?? invalid("A container was used outside the call of encode(to:) that it belongs to.")
  }

  func invalid(_ reason: String, _ value: Any? = nil) -> EncodingError {
    .invalidValue(
      value as Any,
      .init(
        codingPath: path(of: current.serial, withNewest: true), debugDescription: reason))
  }

  /// The path of a scope's value, or of what was encoded last in it.
  func path(of serial: Int, withNewest: Bool = false) -> [any CodingKey] {
    var path = prefix
    for scope in outer + [current] {
      if scope.serial == serial, !withNewest { break }
      switch scope.kind {
      case .keyed where scope.count > 0:
        if let key = writer.key(at: scope.newest) {
          path.append(DocumentKey(stringValue: String(decoding: key, as: UTF8.self)))
        }
      case .unkeyed where scope.count > 0: path.append(DocumentKey(intValue: scope.count - 1))
      default: break
      }
      if scope.serial == serial { break }
    }
    return path
  }
}
