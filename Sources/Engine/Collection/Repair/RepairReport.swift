/// What a repair found, what it did about it, and what is lost.
public struct RepairReport: Sendable, Equatable {
  /// One collection.
  public struct Collection: Sendable, Equatable {
    /// The name, or that of the directory if the name is lost.
    public internal(set) var name: String

    /// What was done, a sentence each; nothing if the collection was sound.
    public internal(set) var actions: [String] = []

    /// Documents that are gone, or are back at a version from before.
    public internal(set) var lost: [DocumentValue] = []

    /// Something acknowledged is gone or older than it was, whether or not it is known what.
    public internal(set) var hasLosses = false

    /// Why it is still not as it should be.
    public internal(set) var failure: String?

    init(name: String) { self.name = name }
  }

  /// All collections, in the order of their names.
  public internal(set) var collections: [Collection] = []

  /// Nothing is damaged any more.
  public var isSound: Bool { collections.allSatisfy { $0.failure == nil } }

  /// Something is gone or older than it was.
  public var hasLosses: Bool { collections.contains { $0.hasLosses } }

  init() {}
}
