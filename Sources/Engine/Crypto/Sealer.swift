internal import COpenSSL

/// XAES-256-GCM (C2SP): authenticated encryption under random nonces of 24 bytes.
///
/// Every message gets a key of its own, derived from the key and the first half of the nonce, so
/// random nonces do not run out: 2^80 messages under one key are safe.
package enum XAES256GCM {
  package static let keySize = 32
  package static let nonceSize = 24
  package static let tagSize = 16

  /// The library counts the bytes of a call in 32 bits.
  package static let messageSizeLimit = 1 << 30

  /// What a message grows by when nonce and tag are kept with it.
  package static let overhead = nonceSize + tagSize

  /// The ciphertext, and the tag behind it.
  package static func seal(
    _ plaintext: Span<UInt8>, key: SecretKey, nonce: [UInt8], associatedData: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    var output: [UInt8] = []
    try Sealer(key: key).seal(
      plaintext, nonce: nonce.span, associatedData: associatedData, into: &output)
    return output
  }

  /// The plaintext of a ciphertext with its tag.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` when anything was changed.
  package static func open(
    _ sealed: Span<UInt8>, key: SecretKey, nonce: [UInt8], associatedData: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    var output: [UInt8] = []
    try Sealer(key: key).open(
      sealed, nonce: nonce.span, associatedData: associatedData, into: &output)
    return output
  }

  /// A nonce drawn for this message, the ciphertext and the tag.
  package static func sealBox(
    _ plaintext: [UInt8], key: SecretKey, associatedData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    var box = RandomBytes.next(nonceSize)
    let nonce = box
    try Sealer(key: key).seal(
      plaintext.span, nonce: nonce.span, associatedData: associatedData.span, into: &box)
    return box
  }

  /// The plaintext of a box.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` when anything was changed.
  package static func openBox(
    _ box: [UInt8], key: SecretKey, associatedData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    guard box.count >= overhead else { throw .authenticationFailed }
    var output: [UInt8] = []
    try Sealer(key: key).open(
      box.span.extracting(nonceSize...), nonce: box.span.extracting(..<nonceSize),
      associatedData: associatedData.span, into: &output)
    return output
  }
}

/// Seals and opens many messages under one key, with contexts that are made once.
///
/// A sealer belongs to one task at a time; make one for each core.
@safe package final class Sealer {
  private let blocks: OpaquePointer
  private let sealing: OpaquePointer
  private let opening: OpaquePointer

  /// The CMAC subkey of the key (NIST SP 800-38B), which masks the two derivation blocks.
  private var subkey = InlineArray<16, UInt8>(repeating: 0)

  package init(key: SecretKey) throws(CryptoError) {
    guard let blocks = unsafe EVP_CIPHER_CTX_new() else { throw .unavailable("memory") }
    guard let sealing = unsafe EVP_CIPHER_CTX_new() else {
      unsafe EVP_CIPHER_CTX_free(blocks)
      throw .unavailable("memory")
    }
    guard let opening = unsafe EVP_CIPHER_CTX_new() else {
      unsafe EVP_CIPHER_CTX_free(blocks)
      unsafe EVP_CIPHER_CTX_free(sealing)
      throw .unavailable("memory")
    }
    unsafe (self.blocks, self.sealing, self.opening) = (blocks, sealing, opening)

    let isReady = key.withBytes { key in
      unsafe key.withUnsafeBufferPointer { key in
        unsafe EVP_EncryptInit_ex2(blocks, Fetched.blocks.pointer, key.baseAddress, nil, nil) == 1
          && EVP_CIPHER_CTX_set_padding(blocks, 0) == 1
          && EVP_EncryptInit_ex2(sealing, Fetched.galois.pointer, nil, nil, nil) == 1
          && EVP_DecryptInit_ex2(opening, Fetched.galois.pointer, nil, nil, nil) == 1
      }
    }
    guard isReady, deriveSubkey() else { throw .unavailable("AES-256") }
  }

  deinit {
    var span = subkey.mutableSpan
    SecretKey.wipe(&span)
    unsafe EVP_CIPHER_CTX_free(blocks)
    unsafe EVP_CIPHER_CTX_free(sealing)
    unsafe EVP_CIPHER_CTX_free(opening)
  }

  /// Appends the ciphertext and its tag.
  ///
  /// The nonce must be random and must never have been used before; one draw may serve a batch.
  package func seal(
    _ plaintext: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>,
    into output: inout [UInt8]
  ) throws(CryptoError) {
    guard nonce.count == XAES256GCM.nonceSize else { throw .invalidNonceSize(nonce.count) }
    guard plaintext.count <= XAES256GCM.messageSizeLimit else {
      throw .invalidParameter("message of \(plaintext.count) bytes")
    }
    var isDone = false
    output.append(addingCapacity: plaintext.count + XAES256GCM.tagSize) { target in
      isDone = encrypt(plaintext, nonce: nonce, associatedData: associatedData, into: &target)
    }
    guard isDone else { throw .unavailable("AES-256-GCM") }
  }

  /// Appends the plaintext; when it throws, the output is as it was.
  package func open(
    _ sealed: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>,
    into output: inout [UInt8]
  ) throws(CryptoError) {
    guard nonce.count == XAES256GCM.nonceSize else { throw .invalidNonceSize(nonce.count) }
    guard (0...XAES256GCM.messageSizeLimit).contains(sealed.count - XAES256GCM.tagSize) else {
      throw .authenticationFailed
    }
    var isAuthentic = false
    output.append(addingCapacity: sealed.count - XAES256GCM.tagSize) { target in
      isAuthentic = decrypt(sealed, nonce: nonce, associatedData: associatedData, into: &target)
    }
    guard isAuthentic else { throw .authenticationFailed }
  }
}

/// The construction, step by step.
extension Sealer {
  /// L = AES(key, 0); the subkey is L doubled in GF(2^128).
  private func deriveSubkey() -> Bool {
    let zero = InlineArray<16, UInt8>(repeating: 0)
    let span = zero.span
    guard encryptBlocks(span, into: &subkey) else { return false }
    let carry = subkey[0] >> 7
    for index in 0..<15 { subkey[index] = subkey[index] << 1 | subkey[index + 1] >> 7 }
    subkey[15] = subkey[15] << 1 ^ (carry == 1 ? 0x87 : 0)
    return true
  }

  /// The message's key: AES over two blocks that hold a counter, "X" and half of the nonce.
  private func withMessageKey(
    nonce: Span<UInt8>, _ body: (UnsafePointer<UInt8>?) -> Bool
  ) -> Bool {
    var input = InlineArray<32, UInt8>(repeating: 0)
    for half in [0, 16] {
      input[half + 1] = half == 0 ? 1 : 2
      input[half + 2] = 0x58
      for index in 0..<12 { input[half + 4 + index] = nonce[index] }
      for index in 0..<16 { input[half + index] ^= subkey[index] }
    }
    var key = InlineArray<32, UInt8>(repeating: 0)
    let inputSpan = input.span
    guard encryptBlocks(inputSpan, into: &key) else { return false }
    let result = unsafe key.span.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    var span = key.mutableSpan
    SecretKey.wipe(&span)
    return result
  }

  private func encryptBlocks<let size: Int>(
    _ input: Span<UInt8>, into output: inout InlineArray<size, UInt8>
  ) -> Bool {
    var target = output.mutableSpan
    return unsafe input.withUnsafeBufferPointer { input in
      unsafe target.withUnsafeMutableBufferPointer { target in
        var written: CInt = 0
        return unsafe EVP_EncryptUpdate(
          blocks, target.baseAddress, &written, input.baseAddress, CInt(size)) == 1
          && written == CInt(size)
      }
    }
  }

  private func encrypt(
    _ plaintext: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>,
    into output: inout OutputSpan<UInt8>
  ) -> Bool {
    unsafe output.withUnsafeMutableBufferPointer { target, filled in
      let size = plaintext.count
      guard let start = target.baseAddress, target.count >= size + XAES256GCM.tagSize else {
        return false
      }
      let isReady = unsafe withMessageKey(nonce: nonce) { key in
        unsafe nonce.extracting(12..<24).withUnsafeBufferPointer { nonce in
          unsafe EVP_EncryptInit_ex2(sealing, nil, key, nonce.baseAddress, nil) == 1
        }
      }
      var written: CInt = 0
      let isDone =
        unsafe isReady && authenticate(associatedData, with: sealing)
        && plaintext.withUnsafeBufferPointer { plaintext in
          unsafe plaintext.isEmpty
            || EVP_EncryptUpdate(sealing, start, &written, plaintext.baseAddress, CInt(size)) == 1
        } && EVP_EncryptFinal_ex(sealing, start + size, &written) == 1
        && EVP_CIPHER_CTX_ctrl(
          sealing, EVP_CTRL_AEAD_GET_TAG, CInt(XAES256GCM.tagSize), start + size) == 1
      if isDone { filled = size + XAES256GCM.tagSize }
      return isDone
    }
  }

  private func decrypt(
    _ sealed: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>,
    into output: inout OutputSpan<UInt8>
  ) -> Bool {
    let size = sealed.count - XAES256GCM.tagSize
    // The call takes the tag through a mutable pointer, so it gets a copy.
    var tag = InlineArray<16, UInt8> { index in sealed[size + index] }
    let isReady = unsafe withMessageKey(nonce: nonce) { key in
      var tagSpan = tag.mutableSpan
      return unsafe nonce.extracting(12..<24).withUnsafeBufferPointer { nonce in
        unsafe tagSpan.withUnsafeMutableBufferPointer { tag in
          unsafe EVP_DecryptInit_ex2(opening, nil, key, nonce.baseAddress, nil) == 1
            && EVP_CIPHER_CTX_ctrl(
              opening, EVP_CTRL_AEAD_SET_TAG, CInt(XAES256GCM.tagSize), tag.baseAddress) == 1
        }
      }
    }
    guard isReady, unsafe authenticate(associatedData, with: opening) else { return false }
    return unsafe output.withUnsafeMutableBufferPointer { target, filled in
      guard target.count >= size else { return false }
      // An empty message still needs an address for the last call, which writes nothing.
      var nothing: UInt8 = 0
      return unsafe withUnsafeMutablePointer(to: &nothing) { nothing in
        let start = unsafe target.baseAddress ?? nothing
        var written: CInt = 0
        let isAuthentic =
          unsafe sealed.withUnsafeBufferPointer { sealed in
            unsafe size == 0
              || EVP_DecryptUpdate(opening, start, &written, sealed.baseAddress, CInt(size)) == 1
          } && EVP_DecryptFinal_ex(opening, start + size, &written) == 1
        if isAuthentic {
          filled = size
        } else {
          unsafe OPENSSL_cleanse(start, size)  // Nothing that is not authentic stays around.
        }
        return isAuthentic
      }
    }
  }

  private func authenticate(_ associatedData: Span<UInt8>, with context: OpaquePointer) -> Bool {
    guard associatedData.count > 0 else { return true }
    return unsafe associatedData.withUnsafeBufferPointer { data in
      var written: CInt = 0
      return unsafe EVP_CipherUpdate(
        context, nil, &written, data.baseAddress, CInt(clamping: data.count)) == 1
    }
  }
}
