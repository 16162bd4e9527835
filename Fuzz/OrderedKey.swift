import NyaruEngine

/// A key throws, or its value has a key that decodes to the same value, in the same order.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard let value = try? OrderedKey.decode(bytes) else { return 0 }
  guard let key = try? OrderedKey.key(of: value) else {
    preconditionFailure("a value that was decoded has no key")
  }
  precondition(key == bytes, "a value with two keys")
  return 0
}
