import NyaruEngine
import Synchronization
import TestSupport
import Testing

@Suite struct LazyPartTests {
  @Test func `content is read once, and what does not read is asked for again`() {
    let reads = Atomic(0)
    let part = LazyPart<Int> {
      reads.add(1, ordering: .relaxed)
      return reads.load(ordering: .relaxed) < 3 ? .standIn(-1) : .content(7)
    }
    #expect(reads.load(ordering: .relaxed) == 0)
    #expect([part.content, part.content, part.content, part.content] == [-1, -1, 7, 7])
    #expect(reads.load(ordering: .relaxed) == 3)
  }

  @Test(arguments: [1, 255, 256, 4_095, 4_096, 4_097, 9_000])
  func `an array that is read late agrees with one that is there`(count: Int) {
    let elements = Array(0..<count)
    var array = ChunkedArray<Int>()
    for start in stride(from: 0, to: count, by: ChunkedArray<Int>.groupCount) {
      let end = min(count, start + ChunkedArray<Int>.groupCount)
      let part = LazyPart { .content(ChunkedArray.leaves(Array(elements[start..<end]))) }
      array.append(part, count: end - start, first: start)
    }
    let copy = array
    #expect((0...count).allSatisfy { bound in copy.partitionIndex { $0 < bound } == bound })
    for number in count..<count + 300 { array.append(number) }
    array[count / 2] = -1
    #expect(array[count / 2] == -1 && copy[count / 2] == count / 2)
    #expect((0..<count).allSatisfy { copy[$0] == $0 } && copy.count == count)
    #expect(array[count + 299] == count + 299)
  }

  @Test(arguments: 0..<6)
  func `an index that is read late agrees with one that is there`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let keys = (0..<3_000).map { _ in
      // Many share a key, so that parts begin in the middle of one.
      OrderedIndex.Pair(
        [UInt8.random(in: 0..<4, using: &random)], UInt32.random(in: 0..<50_000, using: &random))
    }
    let pairs = Set(keys.map { [$0.key[0]] + big($0.handle) }).map { bytes in
      OrderedIndex.Pair([bytes[0]], bytes[1...].reduce(0) { $0 << 8 | UInt32($1) })
    }.sorted { $0.isBefore($1) }
    var loaded = OrderedIndex(sorted: pairs)
    var lazy = OrderedIndex()
    for start in stride(from: 0, to: pairs.count, by: 700) {
      let own = Array(pairs[start..<min(pairs.count, start + 700)])
      lazy.append(
        LazyPart {
          var builder = OrderedIndex.Builder()
          for pair in own { builder.append(pair.key, pair.handle) }
          return .content(builder.finishGroup())
        }, count: own.count, first: own[0])
    }
    for _ in 0..<200 {
      let pair = OrderedIndex.Pair(
        [UInt8.random(in: 0..<4, using: &random)], UInt32.random(in: 0..<50_000, using: &random))
      let other = random.pick(pairs)
      #expect(lazy.insert(pair.key, pair.handle) == loaded.insert(pair.key, pair.handle))
      #expect(lazy.remove(other.key, other.handle) == loaded.remove(other.key, other.handle))
      let range = KeyRange.exactly(pair.key)
      #expect(lazy.count(range) == loaded.count(range) && lazy.count == loaded.count)
      #expect(lazy.first(pair.key) == loaded.first(pair.key))
    }
    #expect(lazy.handles() == loaded.handles())
    #expect(lazy.handles(descending: true) == loaded.handles(descending: true))
  }

  private func big(_ handle: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: handle >> (24 - 8 * UInt32($0))) }
  }
}
