/// Padmé: lengths with few significant bits, so that a size says little about what has it.
///
/// The overhead is at most 12 %, and less for larger sizes (Nikitin et al., PETS 2019, §4).
package enum Padding {
  /// The smallest padded size that holds the given one.
  package static func padded(_ size: Int) -> Int {
    guard size > 1 else { return size }
    let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
    let significantBits = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = (1 << (exponent - significantBits)) - 1
    return (size + mask) & ~mask
  }
}
