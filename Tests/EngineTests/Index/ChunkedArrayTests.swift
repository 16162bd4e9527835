import NyaruEngine
import TestSupport
import Testing

@Suite struct ChunkedArrayTests {
  @Test(arguments: [0, 1, 255, 256, 257, 16_384, 16_385, 40_000])
  func `agrees with an array, and so do its copies`(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    var array = ChunkedArray(0..<count)
    var model = Array(0..<count)
    let copy = (array, model)
    for _ in 0..<300 where !model.isEmpty {
      let index = Int.random(in: 0..<model.count, using: &random)
      array[index] = -index
      model[index] = -index
      if Bool.random(using: &random) { #expect(array.removeLast() == model.removeLast()) }
    }
    for number in 0..<300 {
      array.append(number)
      model.append(number)
    }
    for (array, model) in [copy, (array, model)] {
      #expect(elements(of: array, from: 0) == model)
      #expect(elements(of: array, from: model.count / 2) == Array(model[(model.count / 2)...]))
      #expect(model.indices.allSatisfy { array[$0] == model[$0] })
    }
  }

  @Test func `an index beyond the end is a programming error`() async {
    await #expect(processExitsWith: .failure) { _ = ChunkedArray(0..<3)[3] }
    await #expect(processExitsWith: .failure) {
      var array = ChunkedArray<Int>()
      _ = array.removeLast()
    }
  }

  private func elements(of array: ChunkedArray<Int>, from start: Int) -> [Int] {
    var elements: [Int] = []
    array.forEach(from: start) { index, element in
      #expect(index == start + elements.count)
      elements.append(element)
      return true
    }
    return elements
  }
}
