/// Values by name, in the order in which they were written.
public struct DocumentMap: Sendable {
  /// One name with its value.
  public typealias Entry = (key: String, value: DocumentValue)

  /// The entries in their order. No key occurs twice in what a reader returns.
  public private(set) var entries: [Entry]

  /// An empty map.
  public init() { entries = [] }

  /// A map of the entries; of those with the same key, the last one counts.
  public init(_ entries: some Sequence<Entry>) {
    self.init()
    var indexes: [[UInt8]: Int] = [:]
    for (key, value) in entries {
      if let index = indexes.updateValue(self.entries.count, forKey: Array(key.utf8)) {
        self.entries[index].value = value
        indexes[Array(key.utf8)] = index
      } else {
        self.entries.append((key, value))
      }
    }
  }

  /// A map of entries whose keys are known to differ.
  package init(uniqueEntries entries: [Entry]) { self.entries = entries }

  /// The number of entries.
  public var count: Int { entries.count }

  /// Whether there is no entry.
  public var isEmpty: Bool { entries.isEmpty }

  /// The value of a key, or `nil` if the key is missing. Setting `nil` removes the entry.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public subscript(key: String) -> DocumentValue? {
    get { index(of: key).map { entries[$0].value } }
    set {
      switch (index(of: key), newValue) {
      case (let index?, let value?): entries[index].value = value
      case (let index?, nil): entries.remove(at: index)
      case (nil, let value?): entries.append((key, value))
      case (nil, nil): break
      }
    }
  }

  private func index(of key: String) -> Int? {
    entries.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
  }
}

extension DocumentMap: ExpressibleByDictionaryLiteral {
  /// A map of the literal's entries; of those with the same key, the last one counts.
  public init(dictionaryLiteral elements: (String, DocumentValue)...) {
    self.init(elements.map { (key: $0.0, value: $0.1) })
  }
}
