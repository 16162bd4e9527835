import NyaruEngine
import TestSupport

/// Something wrong with one file of a store.
enum StoreMutation: Sendable {
  case flip(bit: Int)
  case byte(offset: Int, value: UInt8)
  case cut(size: Int)
  case zeros(Range<Int>)
  case noise(Range<Int>, seed: UInt64)

  /// Two slots change places, as they are.
  case swap(Int, Int)

  /// Bytes from one place stand at another, too.
  case copy(from: Range<Int>, to: Int)

  /// Bytes are what they were before the last checkpoint.
  case stale(Range<Int>)

  /// Behind the end there is more.
  case longer(count: Int, seed: UInt64)

  func apply(to file: String, of subject: DamageSubject) -> DiskImage {
    var image = subject.image
    let bytes = image.bytes(file) ?? []
    image.put(apply(to: bytes, older: subject.older.bytes(file) ?? []), at: file)
    return image
  }

  private func apply(to bytes: [UInt8], older: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch self {
    case .flip(let bit): bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    case .byte(let offset, let value): bytes[offset] = value
    case .cut(let size): bytes.removeLast(bytes.count - min(size, bytes.count))
    case .zeros(let range): for index in range { bytes[index] = 0 }
    case .noise(let range, let seed):
      var random = SeededGenerator(seed: seed)
      for index in range { bytes[index] = .random(in: 0...255, using: &random) }
    case .swap(let left, let right):
      for index in 0..<32 where max(left, right) + index < bytes.count {
        bytes.swapAt(left + index, right + index)
      }
    case .copy(let source, let target):
      for (index, byte) in bytes[source].enumerated() where target + index < bytes.count {
        bytes[target + index] = byte
      }
    case .stale(let range):
      for index in range where index < older.count { bytes[index] = older[index] }
    case .longer(let count, let seed):
      var random = SeededGenerator(seed: seed)
      for _ in 0..<count { bytes.append(.random(in: 0...255, using: &random)) }
    }
    return bytes
  }

  /// One of all of them, for a file of the size.
  static func random(size: Int, _ random: inout SeededGenerator) -> StoreMutation {
    func range(_ random: inout SeededGenerator) -> Range<Int> {
      let start = Int.random(in: 0..<size, using: &random)
      return start..<min(size, start + Int.random(in: 1...200, using: &random))
    }
    func border(_ random: inout SeededGenerator) -> Int {
      Int.random(in: 0..<(size + 31) / 32, using: &random) * 32
    }
    switch Int.random(in: 0..<16, using: &random) {
    case 0...5: return .flip(bit: Int.random(in: 0..<size * 8, using: &random))
    case 6...8:
      return .byte(
        offset: Int.random(in: 0..<size, using: &random),
        value: .random(in: 0...255, using: &random))
    case 9: return .cut(size: Int.random(in: 0..<size, using: &random))
    case 10: return .zeros(range(&random))
    case 11: return .noise(range(&random), seed: random.next())
    case 12: return .swap(border(&random), border(&random))
    case 13: return .copy(from: range(&random), to: border(&random))
    case 14: return .stale(range(&random))
    default:
      return .longer(count: Int.random(in: 1...100, using: &random), seed: random.next())
    }
  }
}
