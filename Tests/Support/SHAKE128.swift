/// SHAKE128 (FIPS 202), from which published test vectors draw their inputs.
package struct SHAKE128 {
  private static let rate = 168
  private var lanes = [UInt64](repeating: 0, count: 25)
  private var position = 0
  private var isReading = false

  package init() {}

  package mutating func absorb(_ bytes: [UInt8]) {
    precondition(!isReading, "what was read from takes no more")
    for byte in bytes {
      add(byte, at: position)
      position += 1
      if position == Self.rate { permute() }
    }
  }

  package mutating func read(_ count: Int) -> [UInt8] {
    if !isReading {
      add(0x1F, at: position)
      add(0x80, at: Self.rate - 1)
      permute()
      isReading = true
    }
    return (0..<count).map { _ in
      if position == Self.rate { permute() }
      defer { position += 1 }
      return UInt8(truncatingIfNeeded: lanes[position / 8] >> UInt64(position % 8 * 8))
    }
  }

  private mutating func add(_ byte: UInt8, at index: Int) {
    lanes[index / 8] ^= UInt64(byte) << UInt64(index % 8 * 8)
  }

  private mutating func permute() {
    var lfsr: UInt8 = 1
    for _ in 0..<24 {
      theta()
      rhoAndPi()
      chi()
      for bit in 0...6 {
        if lfsr & 1 == 1 { lanes[0] ^= 1 << UInt64((1 << bit) - 1) }
        lfsr = lfsr << 1 ^ (lfsr >> 7 == 1 ? 0x71 : 0)
      }
    }
    position = 0
  }

  private mutating func theta() {
    var parity = [UInt64](repeating: 0, count: 5)
    for index in 0..<25 { parity[index % 5] ^= lanes[index] }
    for index in 0..<25 {
      let x = index % 5
      lanes[index] ^= parity[(x + 4) % 5] ^ Self.rotate(parity[(x + 1) % 5], by: 1)
    }
  }

  private mutating func rhoAndPi() {
    var (x, y) = (1, 0)
    var moving = lanes[1]
    for step in 0..<24 {
      (x, y) = (y, (2 * x + 3 * y) % 5)
      let replaced = lanes[x + 5 * y]
      lanes[x + 5 * y] = Self.rotate(moving, by: (step + 1) * (step + 2) / 2 % 64)
      moving = replaced
    }
  }

  private mutating func chi() {
    for y in stride(from: 0, to: 25, by: 5) {
      let row = Array(lanes[y..<y + 5])
      for x in 0..<5 { lanes[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]) }
    }
  }

  private static func rotate(_ lane: UInt64, by count: Int) -> UInt64 {
    count == 0 ? lane : lane << UInt64(count) | lane >> UInt64(64 - count)
  }
}
