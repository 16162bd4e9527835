import NyaruEngine
import TestSupport
import Testing

@Suite struct KeyRingTests {
  private func bytes(_ ring: KeyRing) -> [[UInt8]] {
    [ring.records, ring.manifests, ring.names].map { $0.exportBytes() }
  }

  @Test func `the right key opens the same keys, one for each use`() throws {
    let key = SecretKey.random()
    let ring = try KeyRing(wrappingNewKeyWith: .key(key))
    let opened = try KeyRing(opening: ring.protection, with: .key(key))
    #expect(bytes(opened) == bytes(ring))
    #expect(Set(bytes(ring) + [key.exportBytes()]).count == 4)
    let other = try KeyRing(wrappingNewKeyWith: .key(key))
    #expect(Set(bytes(other) + bytes(ring)).count == 6)
  }

  @Test func `the wrong key is called wrong`() throws {
    let ring = try KeyRing(wrappingNewKeyWith: .key(.random()))
    #expect(throws: KeyRing.Failure.wrongKey) {
      try KeyRing(opening: ring.protection, with: .key(.random()))
    }
    #expect(throws: KeyRing.Failure.wrongMethod(.key)) {
      try KeyRing(opening: ring.protection, with: .password("secret"))
    }
  }

  @Test func `a password opens with the parameters that are stored`() throws {
    let hashing = PasswordHashing.pbkdf2(rounds: 600_000)
    let ring = try KeyRing(wrappingNewKeyWith: .password("secret", hashing))
    #expect(ring.protection.method == .password(hashing))
    let opened = try KeyRing(opening: ring.protection, with: .password("secret"))
    #expect(bytes(opened) == bytes(ring))
    #expect(throws: KeyRing.Failure.wrongKey) {
      try KeyRing(opening: ring.protection, with: .password("Secret"))
    }
    #expect(throws: KeyRing.Failure.wrongMethod(.password(hashing))) {
      try KeyRing(opening: ring.protection, with: .key(.random()))
    }
  }

  @Test func `a new key opens the same data, and the old one does not`() throws {
    let old = SecretKey.random()
    let ring = try KeyRing(wrappingNewKeyWith: .key(old))
    let rewrapped = try ring.rewrapped(with: .password("secret"))
    #expect(bytes(rewrapped) == bytes(ring))
    let opened = try KeyRing(opening: rewrapped.protection, with: .password("secret"))
    #expect(bytes(opened) == bytes(ring))
    #expect(throws: KeyRing.Failure.self) {
      try KeyRing(opening: rewrapped.protection, with: .key(old))
    }
  }
}
