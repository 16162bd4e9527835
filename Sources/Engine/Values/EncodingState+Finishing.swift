extension EncodingState {
  /// The state that was made for a key of the current scope before, if it is of that kind.
  func splice(forKey key: String, kind: EncodingScope.Kind) -> EncodingState? {
    let bytes = Array(key.utf8)
    let found = splices.last { splice in
      guard splice.offset >= current.start, let offset = splice.keyOffset else { return false }
      return writer.key(at: offset) == bytes
    }
    return found.flatMap { $0.state.current.kind == kind ? $0.state : nil }
  }

  func dropSplices(from start: Int) {
    splices.removeAll { $0.offset >= start }
  }

  /// Puts what has a buffer of its own where its place is, the last one first, so that the places
  /// of the others stay where they are.
  func insertSplices(from start: Int) throws {
    while let splice = splices.last, splice.offset >= start {
      splices.removeLast()
      try splice.state.finish()
      let bytes = splice.state.writer.bytes()
      writer.replace(splice.offset..<splice.offset + 1, with: bytes.span)
    }
  }

  /// Looks at the keys before the newest one, or leaves that for the end if there are many.
  func noteRepeatedKey() {
    guard !current.mayRepeat else { return }
    current.mayRepeat =
      current.count > 32
      || writer.isKeyRepeated(at: current.newest, since: current.start + 1)
  }
}
