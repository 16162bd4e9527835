internal import Dispatch
import Glibc
internal import Synchronization

/// Work on many elements, spread over the cores; the caller's thread works, too.
enum Spread {
  /// Elements for which another core is worth its waking.
  static let partCountMinimum = 64

  /// Parts for each core, so that one that is held up leaves more to the others.
  private static let partsForEachCore = 4

  private static let coreCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

  /// The results of the parts of a range, in their order; the first failure in it otherwise.
  ///
  /// No part is smaller than the minimum, unless the range is.
  static func parts<Part: Sendable, Failure: Error>(
    of range: Range<Int>, minimum: Int = partCountMinimum,
    _ body: @Sendable (Range<Int>) throws(Failure) -> Part
  ) throws(Failure) -> [Part] {
    let most = min(range.count / minimum, coreCount * partsForEachCore)
    guard most > 1, coreCount > 1 else { return [try body(range)] }
    let size = (range.count + most - 1) / most
    let starts = Array(stride(from: range.lowerBound, to: range.upperBound, by: size))
    let outcomes = Mutex([Result<Part, Failure>?](repeating: nil, count: starts.count))
    DispatchQueue.concurrentPerform(iterations: starts.count) { number in
      let part = starts[number]..<min(starts[number] + size, range.upperBound)
      let outcome: Result<Part, Failure>
      do throws(Failure) { outcome = .success(try body(part)) } catch {
        outcome = .failure(error)
      }
      outcomes.withLock { $0[number] = outcome }
    }
    var parts: [Part] = []
    parts.reserveCapacity(starts.count)
    for case let outcome? in outcomes.withLock({ $0 }) { parts.append(try outcome.get()) }
    return parts
  }

  /// The elements, transformed, in their order.
  static func map<Element: Sendable, Transformed: Sendable, Failure: Error>(
    _ elements: [Element], _ transform: @Sendable (Element) throws(Failure) -> Transformed
  ) throws(Failure) -> [Transformed] {
    let parts = try parts(of: elements.indices) { (part) throws(Failure) in
      var transformed: [Transformed] = []
      transformed.reserveCapacity(part.count)
      for index in part { transformed.append(try transform(elements[index])) }
      return transformed
    }
    if parts.count == 1 { return parts[0] }
    var transformed: [Transformed] = []
    transformed.reserveCapacity(elements.count)
    for part in parts { transformed.append(contentsOf: part) }
    return transformed
  }

  /// What both give; each runs on a core of its own.
  static func pair<First: Sendable, Second: Sendable, Failure: Error>(
    _ first: @Sendable () throws(Failure) -> First, and second: @Sendable () -> Second
  ) throws(Failure) -> (First, Second) {
    let halves = try parts(of: 0..<2, minimum: 1) { (part) throws(Failure) in
      (
        part.contains(0) ? try first() : nil as First?,
        part.contains(1) ? second() : nil as Second?
      )
    }
    guard let one = halves.first?.0, let other = halves.last?.1 else {
      preconditionFailure("both have run")
    }
    return (one, other)
  }
}
