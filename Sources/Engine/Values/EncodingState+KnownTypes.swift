import FoundationEssentials

extension EncodingState {
  /// Writes a value whose type has a form of its own in documents, or one that is faster without
  /// its own `encode(to:)`, and tells whether it did.
  ///
  /// A cast of a value of generic type costs more than all else here. Since the types were
  /// compared before, looking at the bytes of the value as that type is safe.
  func writeKnown<T>(_ value: T) throws -> Bool {
    let type = ObjectIdentifier(T.self)
    if type == ObjectIdentifier(String.self) {
      writer.write(unsafe unsafeBitCast(value, to: String.self))
    } else if type == ObjectIdentifier(Date.self) {
      writer.write(unsafe unsafeBitCast(value, to: Date.self).timeIntervalSinceReferenceDate)
    } else if type == ObjectIdentifier([String].self) {
      let strings = unsafe unsafeBitCast(value, to: [String].self)
      try checkDepth()
      writer.writeArrayHeader(count: strings.count)
      for string in strings { writer.write(string) }
    } else if type == ObjectIdentifier(Int.self) {
      writer.write(Int64(unsafe unsafeBitCast(value, to: Int.self)))
    } else if type == ObjectIdentifier(Double.self) {
      writer.write(unsafe unsafeBitCast(value, to: Double.self))
    } else if type == ObjectIdentifier(Bool.self) {
      writer.write(unsafe unsafeBitCast(value, to: Bool.self))
    } else if type == ObjectIdentifier(UUID.self) {
      writer.write(unsafe unsafeBitCast(value, to: UUID.self).uuidString)
    } else if type == ObjectIdentifier(Data.self) {
      writer.write(binary: [UInt8](unsafe unsafeBitCast(value, to: Data.self)))
    } else if type == ObjectIdentifier(URL.self) {
      writer.write(unsafe unsafeBitCast(value, to: URL.self).absoluteString)
    } else if type == ObjectIdentifier(Decimal.self) {
      try write(value: unsafe unsafeBitCast(value, to: Decimal.self).documentValue)
    } else {
      return try writeKnownArray(value, type: type) || writeDocument(value, type: type)
    }
    return true
  }

  private func writeKnownArray<T>(_ value: T, type: ObjectIdentifier) throws -> Bool {
    if type == ObjectIdentifier([Int].self) {
      let integers = unsafe unsafeBitCast(value, to: [Int].self)
      try checkDepth()
      writer.writeArrayHeader(count: integers.count)
      for integer in integers { writer.write(Int64(integer)) }
    } else if type == ObjectIdentifier([Double].self) {
      let doubles = unsafe unsafeBitCast(value, to: [Double].self)
      try checkDepth()
      writer.writeArrayHeader(count: doubles.count)
      for double in doubles { writer.write(double) }
    } else {
      return false
    }
    return true
  }

  private func writeDocument<T>(_ value: T, type: ObjectIdentifier) throws -> Bool {
    if type == ObjectIdentifier(DocumentValue.self) {
      try write(value: unsafe unsafeBitCast(value, to: DocumentValue.self))
    } else if type == ObjectIdentifier(DocumentMap.self) {
      try write(value: .map(unsafe unsafeBitCast(value, to: DocumentMap.self)))
    } else if type == ObjectIdentifier(Document.self) {
      let document = unsafe unsafeBitCast(value, to: Document.self)
      let bytes = try document.format.messagePack(document.bytes)
      if current.depth == 0 {
        writer.append(bytes.span)
      } else {
        try write(value: .map(document.fields))
      }
    } else {
      return false
    }
    return true
  }

  private func write(value: DocumentValue) throws {
    do throws(FormatError) {
      try writer.write(value, depth: DocumentLimits.depth - current.depth)
    } catch {
      throw invalid("Containers nest more than \(DocumentLimits.depth) levels.", value)
    }
  }

  private func checkDepth() throws {
    guard current.depth < DocumentLimits.depth else {
      throw invalid("Containers nest more than \(DocumentLimits.depth) levels.")
    }
  }
}
