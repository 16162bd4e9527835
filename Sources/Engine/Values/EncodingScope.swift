/// One value that is being encoded: a call of `encode(to:)` that has not returned.
struct EncodingScope {
  /// What the value has turned out to be.
  enum Kind {
    case nothing, keyed, unkeyed, single
  }

  /// Tells this scope from all others of its state, so that a container that outlives its scope
  /// is found out.
  let serial: Int

  /// Where the value starts in the buffer, which for a container is where its header goes.
  let start: Int

  /// Containers around the value, with the value if it is one.
  var depth: Int
  var kind = Kind.nothing

  /// Entries or elements.
  var count = 0

  /// Where the newest key or element starts.
  var newest = 0

  /// A bit for each key, to tell most new keys from the others without looking at them.
  var keyBits: UInt64 = 0

  /// Whether a key may occur twice.
  var mayRepeat = false
}

/// A value with a buffer of its own, and the place that is kept for it.
struct EncodingSplice {
  /// Where one byte is kept for the value.
  let offset: Int

  /// Where its key starts, if it has one.
  let keyOffset: Int?
  let state: EncodingState
}
