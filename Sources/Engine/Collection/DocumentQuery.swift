/// What a query asks for, apart from the type that its documents decode to.
package struct DocumentQuery: Sendable {
  package var filters: [Filter] = []
  package var sortKeys: [SortKey] = []
  package var limit: Int?
  package var offset = 0

  package init() {}

  package var filter: Filter? {
    filters.count > 1 ? .and(filters) : filters.first
  }

  /// Whether it asks for all documents, in no other order than that of their ids.
  package var isEverything: Bool {
    filters.isEmpty && sortKeys.isEmpty && limit == nil && offset == 0
  }

  /// How many matches, from the first on, reach to the end of the page; `nil` if it has none.
  package var matchLimit: Int? {
    limit.map { limit in
      let (sum, overflow) = limit.addingReportingOverflow(offset)
      return overflow ? .max : sum
    }
  }
}

/// The way a query finds its documents.
public struct QueryPlan: Sendable, Equatable, CustomStringConvertible {
  /// Where candidates come from.
  public enum Access: Sendable, Equatable {
    /// Single ids, looked up.
    case idLookup(count: Int)

    /// A range of the ids.
    case idRange

    /// A range of one indexed field.
    case index(field: String)

    /// The documents of single values of the partition key.
    case partitions(count: Int)

    /// Every document.
    case fullScan
  }

  /// Where candidates come from.
  public let access: Access

  /// Whether candidates are checked against the conditions, beyond the access itself.
  public let filters: Bool

  /// Whether matches are sorted in memory.
  public let sorts: Bool

  /// The plan in words.
  public var description: String {
    let source =
      switch access {
      case .idLookup(let count): "look up \(count) id(s)"
      case .idRange: "walk a range of ids"
      case .index(let field): "walk the index on \"\(field)\""
      case .partitions(let count): "scan \(count) partition(s)"
      case .fullScan: "scan all documents"
      }
    return source + (filters ? ", filter" : "") + (sorts ? ", sort" : "")
  }
}
