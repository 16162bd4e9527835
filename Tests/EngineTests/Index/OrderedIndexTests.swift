import NyaruEngine
import TestSupport
import Testing

@Suite struct OrderedIndexTests {
  @Test(arguments: 0..<12)
  func `agrees with a sorted array, and so do its snapshots`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let keys = KeySource(seed: seed)
    var index = OrderedIndex()
    var model = SortedPairs()
    var snapshots: [(index: OrderedIndex, model: SortedPairs)] = []
    for _ in 0..<6 {
      // Phases that grow, and phases that shrink.
      let removals = UInt64.random(in: 1...9, using: &random)
      for _ in 0..<700 {
        let pair = keys.pair(&random)
        switch UInt64.random(in: 0..<200, using: &random) {
        case 0:
          snapshots.append((index, model))
        case 1:
          let batch = keys.batch(&random)
          index.merge(batch)
          for pair in batch { model.insert(pair) }
        case 2:
          // Some that are there, and some that are not.
          let rest = keys.batch(&random).filter { _ in Bool.random(using: &random) }
          let known = model.pairs.filter { _ in UInt64.random(in: 0..<8, using: &random) == 0 }
          let batch = SortedPairs(rest + known).pairs
          index.remove(batch)
          for pair in batch { model.remove(pair) }
        case 3 where model.pairs.count > 300:
          let remainder = UInt32.random(in: 0..<7, using: &random)
          index.removeAll { $0 % 7 == remainder }
          for pair in model.pairs where pair.handle % 7 == remainder {
            _ = model.remove(pair)
          }
        case 4...(removals * 20):
          let target = model.pairs.randomElement(using: &random) ?? pair
          #expect(index.remove(target.key, target.handle) == model.remove(target))
        default:
          #expect(index.insert(pair.key, pair.handle) == model.insert(pair))
        }
      }
      expect(index, equals: model, &random)
      expect(OrderedIndex(sorted: model.pairs), equals: model, &random)
    }
    for (index, model) in snapshots { expect(index, equals: model, &random) }
  }

  @Test(arguments: [false, true])
  func `ascending and descending keys fill their runs`(isDescending: Bool) {
    var index = OrderedIndex()
    let numbers = 0..<100_000
    for number in isDescending ? Array(numbers.reversed()) : Array(numbers) {
      index.insert(bigEndian(number), UInt32(number))
    }
    #expect(index.handles() == numbers.map { UInt32($0) })
    #expect(index.memorySize / index.count <= (isDescending ? 24 : 14))
    for number in numbers { index.remove(bigEndian(number), UInt32(number)) }
    #expect(index.isEmpty && index.handles().isEmpty && index.memorySize < 1024)
  }

  @Test func `a value that all share costs no more than a handle each`() {
    var index = OrderedIndex()
    let key = Array("the same value for all of them".utf8)
    for handle in 0..<100_000 as Range<UInt32> { index.insert(key, handle) }
    #expect(index.first(key) == 0)
    #expect(index.count(.exactly(key)) == 100_000)
    #expect(index.memorySize / index.count <= 13)
    index.remove(key, 0)
    #expect(index.first(key) == 1)
  }

  @Test(arguments: 0..<8)
  func `the longest keys cost their size, whatever they share`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let size = OrderedIndex.keySizeLimit
    let starts = (0..<10).map { [UInt8](repeating: $0, count: size - 2) }
    let ends = (0..<300).map { [UInt8($0 / 256), UInt8($0 % 256)] }
    let keys = ends.map { random.pick(starts) + $0 }.shuffled(using: &random)
    var index = OrderedIndex()
    for (handle, key) in keys.enumerated() { index.insert(key, UInt32(handle)) }
    #expect(keys.indices.allSatisfy { index.first(keys[$0]) == UInt32($0) })
    #expect(index.memorySize < keys.count * size / 2)
    for (handle, key) in keys.enumerated() {
      let isRemoved = index.remove(key, UInt32(handle))
      #expect(isRemoved)
    }
    #expect(index.handles().isEmpty)
  }

  @Test func `a key beyond the limit is a programming error`() async {
    await #expect(processExitsWith: .failure) {
      var index = OrderedIndex()
      index.insert([UInt8](repeating: 0, count: OrderedIndex.keySizeLimit + 1), 0)
    }
  }

  @Test func `a cursor goes on over the index as it was`() {
    var index = OrderedIndex()
    for number in 0..<2000 { index.insert(bigEndian(number), UInt32(number)) }
    var cursor = index.cursor()
    var seen: [UInt32] = []
    while let handle = cursor.next() {
      #expect(cursor.key == bigEndian(Int(handle)))
      seen.append(handle)
      index.remove(bigEndian(1999 - Int(handle)), 1999 - handle)
      index.insert(bigEndian(5000 + Int(handle)), 5000 + handle)
    }
    #expect(seen == (0..<2000).map { UInt32($0) })
  }

  @Test func `pairs close together merge as well as pairs far apart`() {
    let all = (0..<30_000).map { OrderedIndex.Pair(bigEndian($0), UInt32($0)) }
    for step in [1, 2, 7, 100, 5000] {
      var index = OrderedIndex(sorted: stride(from: 0, to: all.count, by: step).map { all[$0] })
      index.merge(all)
      #expect(index.count == all.count)
      #expect(index.handles() == all.map(\.handle))
      for pair in stride(from: 0, to: all.count, by: 311).map({ all[$0] }) {
        #expect(index.first(pair.key) == pair.handle)
      }
    }
  }

  private func expect(
    _ index: OrderedIndex, equals model: SortedPairs, _ random: inout SeededGenerator
  ) {
    #expect(index.count == model.pairs.count)
    var cursor = index.cursor()
    var pairs: [OrderedIndex.Pair] = []
    while let handle = cursor.next() { pairs.append(OrderedIndex.Pair(cursor.key, handle)) }
    #expect(pairs == model.pairs)
    let keys = KeySource(seed: random.next())
    for _ in 0..<2 {
      let key = model.pairs.randomElement(using: &random)?.key ?? []
      let other = keys.pair(&random).key
      for range in [
        KeyRange(from: key, to: other), KeyRange(from: other, to: key), .exactly(key),
        KeyRange(from: key), KeyRange(to: other), .beginning(with: Array(key.prefix(2))),
      ] {
        let expected = model.pairs(in: range).map(\.handle)
        #expect(index.handles(range) == expected)
        #expect(index.handles(range, descending: true) == expected.reversed())
        #expect(index.handles(range, limit: 3) == Array(expected.prefix(3)))
        #expect(index.count(range) == expected.count)
      }
      for key in [key, other] {
        let expected = model.pairs(in: .exactly(key)).first?.handle
        #expect(index.first(key) == expected)
        #expect(index.contains(key, expected ?? 7) == (expected != nil))
      }
    }
  }

  private func bigEndian(_ number: Int) -> [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

/// Keys as they occur: short and shared, or long with long common beginnings.
private struct KeySource {
  private let alphabet: [UInt8]
  private let lengthLimit: Int
  private let prefixes: [[UInt8]]
  private let handleLimit: UInt32

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed &* 77 &+ 1)
    alphabet = random.pick([[0, 1, 255], Array(0...255), [7]])
    lengthLimit = random.pick([3, 8, 40, 1100])
    let third = lengthLimit / 3
    prefixes =
      Bool.random(using: &random)
      ? (0..<3).map { Array(repeating: 3, count: $0 * third) }
      : (0..<9).map { Array(repeating: $0, count: 2 * third) }
    handleLimit = random.pick([1, 4, 5000])
  }

  func pair(_ random: inout SeededGenerator) -> OrderedIndex.Pair {
    let prefix = random.pick(prefixes)
    let count = Int.random(in: 0...max(2, lengthLimit - prefix.count), using: &random)
    let rest = (0..<count).map { _ in random.pick(alphabet) }
    return OrderedIndex.Pair(prefix + rest, .random(in: 0..<handleLimit, using: &random))
  }

  /// Pairs in ascending order, none twice.
  func batch(_ random: inout SeededGenerator) -> [OrderedIndex.Pair] {
    var pairs = SortedPairs()
    for _ in 0..<Int.random(in: 0...400, using: &random) { pairs.insert(pair(&random)) }
    return pairs.pairs
  }
}

/// The model: an array that is always sorted.
private struct SortedPairs {
  private(set) var pairs: [OrderedIndex.Pair] = []

  init(_ pairs: [OrderedIndex.Pair] = []) {
    for pair in pairs { insert(pair) }
  }

  @discardableResult
  mutating func insert(_ pair: OrderedIndex.Pair) -> Bool {
    let place = place(of: pair)
    if place < pairs.count, pairs[place] == pair { return false }
    pairs.insert(pair, at: place)
    return true
  }

  @discardableResult
  mutating func remove(_ pair: OrderedIndex.Pair) -> Bool {
    let place = place(of: pair)
    guard place < pairs.count, pairs[place] == pair else { return false }
    pairs.remove(at: place)
    return true
  }

  func pairs(in range: KeyRange) -> ArraySlice<OrderedIndex.Pair> {
    let lower = place(of: OrderedIndex.Pair(range.lower, 0))
    let upper = range.upper.map { place(of: OrderedIndex.Pair($0, 0)) } ?? pairs.count
    return pairs[lower..<max(lower, upper)]
  }

  private func place(of pair: OrderedIndex.Pair) -> Int {
    var low = 0
    var high = pairs.count
    while low < high {
      let middle = (low + high) / 2
      let isBefore =
        pairs[middle].key == pair.key
        ? pairs[middle].handle < pair.handle
        : ByteOrder.compare(pairs[middle].key, pair.key) < 0
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
