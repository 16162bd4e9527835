internal import Synchronization

/// A part of a structure that is read when it is first needed, and kept from then on.
///
/// Any thread may be the first; two that meet read twice and keep one. What does not read is not
/// kept: the owner of the source hears of it there, and until then a stand-in of the same shape
/// takes its place, so that no walk through the structure falls off its end.
package final class LazyPart<Content: Sendable>: Sendable {
  /// What came of reading.
  package enum Loaded: Sendable {
    case content(Content)

    /// Nothing that counts: it does not read.
    case standIn(Content)
  }

  private final class Box: Sendable {
    let content: Content

    init(_ content: Content) { self.content = content }
  }

  private let box = AtomicLazyReference<Box>()
  private let load: @Sendable () -> Loaded

  package init(load: @escaping @Sendable () -> Loaded) { self.load = load }

  /// A part that is there.
  package init(_ content: Content) {
    load = { .content(content) }
    _ = box.storeIfNil(Box(content))
  }

  /// The content, read if it has not been read yet.
  package var content: Content {
    if let box = box.load() { return box.content }
    switch load() {
    case .content(let content): return box.storeIfNil(Box(content)).content
    case .standIn(let content): return content
    }
  }
}
