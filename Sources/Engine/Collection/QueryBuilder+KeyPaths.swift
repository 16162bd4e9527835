public import FoundationEssentials

extension QueryBuilder {
  /// Documents for which a predicate of Foundation holds, such as `#Predicate { $0.age >= 18 }`.
  ///
  /// - Throws: ``UnsupportedPredicate`` naming the first part that a filter cannot say.
  public func `where`(_ predicate: Predicate<T>) throws -> Self {
    self.where(try Filter(predicate))
  }

  /// Orders by the field that is called like a property; a second call orders what the first
  /// leaves equal.
  ///
  /// - Throws: ``UnsupportedPredicate`` if the key path goes through anything but properties.
  public func sort(by keyPath: PartialKeyPath<T>, ascending: Bool = true) throws -> Self {
    sort(by: try FieldPath(keyPath).description, ascending: ascending)
  }
}
