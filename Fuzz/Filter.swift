import NyaruEngine

/// Whatever the text is, parsing it as an expression throws a place inside it, or a filter.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
  let text = unsafe String(decoding: bytes, as: UTF8.self)
  do throws(FilterSyntaxError) {
    let filter = CompiledFilter(try Filter(parsing: text))
    _ = try? filter.matches([0x81, 0xA1, 0x61, 0x01], format: .msgpack)
  } catch {
    precondition(error.position >= 0 && error.position <= text.count, "a place outside the text")
  }
  return 0
}
