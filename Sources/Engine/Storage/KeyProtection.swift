/// How the data key of a database is stored: wrapped by the user's key or password.
///
///     protection := method u8, parameters, salt length varint, salt, check u8[32], wrapped u8[72]
///     method     := 1 key (no parameters) | 2 scrypt (cost exponent u8, block size u8,
///                   parallelism u8) | 3 PBKDF2 (rounds u32)
///     K          := the user's key, or the password stretched with parameters and salt
///     header     := method, parameters, salt length, salt
///     check      := HMAC(HKDF(K, "nyaru check"), header)
///     wrapped    := box of the data key under HKDF(K, "nyaru wrap"), associated data: header
///
/// The check tells a wrong key from damage. It is compared first, and nothing is opened or
/// written before.
package struct KeyProtection: Equatable, Sendable {
  /// What the user gives to open the database.
  package enum Method: Equatable, Sendable {
    case key
    case password(PasswordHashing)
  }

  static let saltSize = 16
  static let wrappedSize = SecretKey.size + XAES256GCM.overhead

  package let method: Method
  let salt: [UInt8]
  let check: [UInt8]
  let wrapped: [UInt8]

  init(method: Method, salt: [UInt8], check: [UInt8], wrapped: [UInt8]) {
    self.method = method
    self.salt = salt
    self.check = check
    self.wrapped = wrapped
  }

  /// Reads what stands behind the method byte, which is not 0.
  init(method: UInt8, from reader: inout ByteReader) throws(FormatError) {
    switch method {
    case 1: self.method = .key
    case 2:
      self.method = .password(
        .scrypt(
          costExponent: try reader.readUInt8(), blockSize: try reader.readUInt8(),
          parallelism: try reader.readUInt8()))
    case 3: self.method = .password(.pbkdf2(rounds: try reader.readUInt32()))
    default: throw .unsupported("key protection \(method)")
    }
    if case .password(let hashing) = self.method {
      do { try hashing.check() } catch { throw .invalid("password parameters: \(error)") }
    }
    salt = try reader.readBytes(try reader.readLength(limit: PasswordHashing.saltSizes.upperBound))
    guard PasswordHashing.saltSizes.contains(salt.count) else { throw .invalid("a short salt") }
    check = try reader.readBytes(HMACSHA256.size)
    wrapped = try reader.readBytes(Self.wrappedSize)
  }

  func encode(into writer: inout ByteWriter) {
    writer.write(header)
    writer.write(check)
    writer.write(wrapped)
  }

  var header: [UInt8] { Self.header(method, salt: salt) }

  static func header(_ method: Method, salt: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    switch method {
    case .key: writer.write(1 as UInt8)
    case .password(.scrypt(let costExponent, let blockSize, let parallelism)):
      writer.write([2, costExponent, blockSize, parallelism])
    case .password(.pbkdf2(let rounds)):
      writer.write(3 as UInt8)
      writer.write(rounds)
    }
    writer.writeLengthPrefixed(salt)
    return writer.finish()
  }
}
