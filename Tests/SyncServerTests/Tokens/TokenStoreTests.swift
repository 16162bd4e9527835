import Foundation
import NyaruEngine
import NyaruSyncServer
import Testing

@Suite struct TokenStoreTests {
  private let store: TemporaryStore
  private let tokens: TokenStore

  init() throws {
    store = try TemporaryStore()
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
    let other = try TemporaryStore()
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
    let lock = try store.directory().lock("tokens.lock")
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
