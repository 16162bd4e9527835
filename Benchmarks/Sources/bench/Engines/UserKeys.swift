import Nyaru

/// The keys of one user in a key-value store: its own, and one in each index, made by hand.
struct UserKeys {
  let document: [UInt8]
  let city: [UInt8]
  let age: [UInt8]

  init(_ user: User) {
    document = Self.document(user.id)
    city = [0x63] + Array(user.city.utf8) + [0] + Array(user.id.utf8)
    age = [0x61, UInt8(clamping: user.age)] + Array(user.id.utf8)
  }

  static func document(_ id: String) -> [UInt8] { [0x64] + Array(id.utf8) }
}

/// The payload of the key-value stores: the same bytes that our own engine keeps.
enum Payload {
  static func encode(_ user: User) throws -> [UInt8] { try DocumentEncoder().encode(user) }

  static func decode(_ bytes: UnsafeRawBufferPointer) throws -> User {
    try DocumentDecoder().decode(User.self, from: unsafe Array(bytes))
  }
}
