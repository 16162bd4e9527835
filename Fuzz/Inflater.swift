import NyaruEngine

/// Whatever the bytes are, inflating throws and leaves the output alone, or gives the size stated.
func fuzzInflater(_ bytes: [UInt8]) {
  guard bytes.count >= 2 else { return }
  let size = Int(bytes[0]) << 8 | Int(bytes[1])
  let inflater = Inflater()
  for _ in 0..<2 {
    var output: [UInt8] = [7]
    let isDone: Void? = try? inflater.inflate(
      bytes.span.extracting(2...), size: size, into: &output)
    precondition(output.count == 1 + (isDone == nil ? 0 : size), "another size than stated")
  }
}
