import Foundation
import NyaruEngine
import NyaruSyncServer
import TestSupport
import Testing

@Suite struct TokenStoreTests {
  private let store: TemporaryDirectory
  private let tokens: TokenStore

  init() throws {
    store = try TemporaryDirectory()
    tokens = try TokenStore(storePath: store.path)
  }

  @Test func `a token opens what it was made for`() throws {
    let (text, entry) = try tokens.create(scopes: [.pull])
    let found = try tokens.authenticate(text, at: 0)
    #expect(found == entry)
    #expect(found?.scopes == [.pull])
  }

  @Test func `a text that is no token of ours opens nothing`() throws {
    let (text, _) = try tokens.create(scopes: .all)
    let other = try TemporaryDirectory()
    let (foreign, _) = try TokenStore(storePath: other.path).create(scopes: .all)
    for wrong in ["", "x", foreign, text + "a", String(text.dropLast()), text.uppercased()] {
      #expect(try tokens.authenticate(wrong, at: 0) == nil)
    }
  }

  @Test func `neither the text nor the secret is on the disk`() throws {
    let (text, _) = try tokens.create(scopes: .all)
    let secret = try KeyText.decode(text, as: .token).exportBytes()
    let data = try Data(contentsOf: URL(fileURLWithPath: store.path + "/tokens"))
    #expect(data.range(of: Data(secret)) == nil)
    #expect(data.range(of: Data(text.utf8)) == nil)
  }

  @Test func `a revoked token is worthless at once, in another handle, too`() throws {
    let serving = try TokenStore(storePath: store.path)
    let (text, entry) = try tokens.create(scopes: .all)
    #expect(try serving.authenticate(text, at: 0) != nil)
    #expect(try tokens.revoke(id: entry.id))
    #expect(try serving.authenticate(text, at: 0) == nil)
    #expect(try !tokens.revoke(id: entry.id))
  }

  @Test func `a token made while another handle serves counts at once`() throws {
    let serving = try TokenStore(storePath: store.path)
    let (first, _) = try tokens.create(scopes: .all)
    #expect(try serving.authenticate(first, at: 0) != nil)
    for _ in 0..<20 {
      let (text, _) = try tokens.create(scopes: .all)
      #expect(try serving.authenticate(text, at: 0) != nil)
    }
  }

  @Test func `a token expires at its time`() throws {
    let (text, _) = try tokens.create(scopes: .all, expires: 1000)
    #expect(try tokens.authenticate(text, at: 999) != nil)
    #expect(try tokens.authenticate(text, at: 1000) == nil)
  }

  @Test(arguments: ["", "x", "0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A", "0a0a"])
  func `a token is not bound to what is no vault, and not left unbound`(vault: String) throws {
    #expect(throws: TokenStore.Failure.malformedVault(vault)) {
      try tokens.create(scopes: .all, vault: vault)
    }
    #expect(try tokens.list().isEmpty)
  }

  @Test func `the list has the tokens in order`() throws {
    let vault = String(repeating: "0a", count: 16)
    let first = try tokens.create(scopes: [.push], vault: vault, expires: 7).entry
    let second = try tokens.create(scopes: .all).entry
    #expect(try tokens.list() == [first, second])
  }

  @Test(arguments: 0..<30)
  func `a damaged file is an error and opens nothing`(at offset: Int) throws {
    let (text, _) = try tokens.create(scopes: .all)
    let path = store.path + "/tokens"
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    bytes[offset] ^= 0x10
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let fresh = try TokenStore(storePath: store.path)
    #expect(throws: TokenStore.Failure.self) { try fresh.authenticate(text, at: 0) }
    #expect(throws: TokenStore.Failure.self) { try fresh.create(scopes: .all) }
  }

  @Test func `another process that changes tokens is waited for by the caller`() throws {
    let lock = try DiskDirectory.open(path: store.path, createIfMissing: false).lock("tokens.lock")
    #expect(throws: TokenStore.Failure.busy) { try tokens.create(scopes: .all) }
    withExtendedLifetime(lock) {}
  }

  @Test(arguments: [("pull", TokenScopes.pull), ("pull,push", .all), ("push,pull", .all)])
  func `scopes have names`(text: String, scopes: TokenScopes) throws {
    #expect(TokenScopes(text) == scopes)
    #expect(TokenScopes(scopes.text) == scopes)
  }

  @Test(arguments: ["", "pull,", "pull push", "PULL", "admin"])
  func `a scope that there is not is refused`(text: String) {
    #expect(TokenScopes(text) == nil)
  }
}

@Suite struct TokenFileTests {
  private static let hash = (0..<32).map { UInt8($0) }

  @Test func `the bytes are those of the format`() throws {
    let entries = [
      TokenEntry(
        id: "0102030405060708", scopes: .pull, vault: nil, created: 1, expires: nil,
        hash: Self.hash),
      TokenEntry(
        id: "1112131415161718", scopes: .all, vault: String(repeating: "0a", count: 16),
        created: 2, expires: 3, hash: Self.hash),
    ]
    let hash = Hex.text(Self.hash)
    let expected =
      "4e59544b" + "01000000" + "02"
      + "0102030405060708" + hash + "01" + "00" + "0100000000000000"
      + "1112131415161718" + hash + "03" + "03" + "0200000000000000"
      + String(repeating: "0a", count: 16) + "0300000000000000"
    let bytes = TokenFile.encode(entries)
    #expect(Hex.text(Array(bytes.dropLast(4))) == expected)
    #expect(try TokenFile.decode(bytes) == entries)
  }

  @Test(arguments: [0, 5, 8, 9, 60])
  func `a file that is cut, extended or of another kind is refused`(offset: Int) throws {
    let entry = TokenEntry(
      id: "0102030405060708", scopes: .pull, vault: nil, created: 1, expires: nil,
      hash: Self.hash)
    let bytes = TokenFile.encode([entry])
    for wrong in [Array(bytes.prefix(offset)), bytes + [0]] {
      #expect(throws: FormatError.self) { try TokenFile.decode(wrong) }
    }
    // Also where whoever wrote it computed the checksum anew.
    var changed = Array(bytes.dropLast(4))
    if offset < 9 { changed[offset] ^= 0x40 } else { changed.append(UInt8(offset)) }
    var writer = ByteWriter()
    writer.write(changed)
    writer.write(Checksum.of(changed.span))
    #expect(throws: FormatError.self) { try TokenFile.decode(writer.finish()) }
  }
}
