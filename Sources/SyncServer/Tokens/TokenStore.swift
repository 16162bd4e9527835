package import NyaruEngine
internal import Synchronization

/// The tokens of an endpoint, in a file beside its data.
///
/// The secrets are not in it, only their hashes. The file is replaced whole under a lock of its
/// own, and looked at anew at each request, so tokens can be created and revoked while the
/// endpoint runs, and count at once.
public final class TokenStore: Sendable {
  /// Why tokens cannot be read or changed.
  @nonexhaustive
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The disk failed; the text names the file.
    case storageFailed(String)

    /// The file does not read: it is damaged or of a newer version.
    case unreadable(path: String, reason: String)

    /// Another process changes the tokens right now.
    case busy

    /// The vault to bind to is not 32 hexadecimal digits, in small letters.
    case malformedVault(String)

    /// There are as many tokens as one endpoint takes.
    case tooMany(limit: Int)

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var description: String {
      switch self {
      case .storageFailed(let text): text
      case .unreadable(let path, let reason): "\(path) does not read: \(reason)"
      case .malformedVault(let text):
        "“\(text)” is no vault: 32 hexadecimal digits in small letters are"
      case .busy: "another process changes the tokens; try again"
      case .tooMany(let limit): "an endpoint takes at most \(limit) tokens; revoke some"
      }
    }
  }

  private static let fileName = "tokens"
  private static let lockName = "tokens.lock"

  private struct Cache {
    var identity: FileIdentity?
    var entries: [TokenEntry] = []
  }

  private let directory: any Directory
  private let cache = Mutex(Cache())

  package init(directory: any Directory) { self.directory = directory }

  /// Opens the tokens of the endpoint whose data is in `storePath`, which is created if missing.
  ///
  /// - Throws: ``Failure/storageFailed(_:)``
  public convenience init(storePath: String) throws(Failure) {
    do throws(IOError) {
      self.init(directory: try DiskDirectory.open(path: storePath, createIfMissing: true))
    } catch {
      throw .storageFailed(error.description)
    }
  }

  /// Makes a token and returns its text, which nothing can show again.
  ///
  /// When the call returns, the token survives a power cut. A `vault` in 32 hexadecimal digits
  /// binds it to that vault; `expires` is in milliseconds since 1970.
  ///
  /// - Throws: ``Failure``
  public func create(
    scopes: TokenScopes, vault: String? = nil, expires: UInt64? = nil
  ) throws(Failure) -> (text: String, entry: TokenEntry) {
    try create(scopes: scopes, vault: vault, expires: expires, clock: .system)
  }

  package func create(
    scopes: TokenScopes, vault: String? = nil, expires: UInt64? = nil, clock: ServerClock
  ) throws(Failure) -> (text: String, entry: TokenEntry) {
    if let vault, Hex.bytes(vault, count: 16) == nil { throw .malformedVault(vault) }
    let secret = SecretKey.random()
    let entry = TokenEntry(
      id: Hex.text(RandomBytes.next(8)), scopes: scopes, vault: vault,
      created: clock.milliseconds(), expires: expires, hash: Self.hash(secret))
    try change { entries throws(Failure) in
      guard entries.count < TokenFile.countLimit else {
        throw .tooMany(limit: TokenFile.countLimit)
      }
      entries.append(entry)
    }
    return (KeyText.encode(secret, as: .token), entry)
  }

  /// The tokens in the order in which they were made.
  ///
  /// - Throws: ``Failure``
  public func list() throws(Failure) -> [TokenEntry] { try read().entries }

  /// Makes a token worthless from now on; `false` if there is none with this id.
  ///
  /// - Throws: ``Failure``
  public func revoke(id: String) throws(Failure) -> Bool {
    try change { entries in
      let count = entries.count
      entries.removeAll { $0.id == id }
      return entries.count < count
    }
  }

  /// The token with this text, unless it is unknown or has expired.
  ///
  /// The time it takes does not depend on which token, if any, it is.
  package func authenticate(_ text: String, at milliseconds: UInt64) throws(Failure) -> TokenEntry?
  {
    guard text.utf8.count <= 256, let secret = try? KeyText.decode(text, as: .token) else {
      return nil
    }
    let hash = Self.hash(secret)
    var found: TokenEntry?
    for entry in try current() where equalBytes(entry.hash.span, hash.span) { found = entry }
    if let expires = found?.expires, milliseconds >= expires { return nil }
    return found
  }

  private static func hash(_ secret: SecretKey) -> [UInt8] {
    secret.withBytes { SHA256.hash($0) }
  }

  /// The entries as they are on disk, read only if the file is another than before.
  private func current() throws(Failure) -> [TokenEntry] {
    let cached = cache.withLock { $0 }
    guard let identity = try fileIdentity() else { return [] }
    if cached.identity == identity { return cached.entries }
    let fresh = try read()
    cache.withLock { $0 = fresh }
    return fresh.entries
  }

  private func fileIdentity() throws(Failure) -> FileIdentity? {
    do throws(IOError) {
      return try directory.openFile(Self.fileName).identity()
    } catch {
      if error.code == Self.missing { return nil }
      throw .storageFailed(error.description)
    }
  }

  private func read() throws(Failure) -> Cache {
    let bytes: [UInt8]
    let identity: FileIdentity
    do throws(IOError) {
      let file = try directory.openFile(Self.fileName)
      bytes = try file.read(TokenFile.sizeLimit + 1, at: 0)
      identity = try file.identity()
    } catch {
      if error.code == Self.missing { return Cache() }
      throw .storageFailed(error.description)
    }
    do throws(FormatError) {
      return Cache(identity: identity, entries: try TokenFile.decode(bytes))
    } catch {
      let path = "\(directory.path)/\(Self.fileName)"
      throw .unreadable(path: path, reason: String(describing: error))
    }
  }

  private func change<Result>(
    _ body: (inout [TokenEntry]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let lock: any DirectoryLock
    do throws(LockFailure) {
      lock = try directory.lock(Self.lockName)
    } catch {
      switch error {
      case .held: throw .busy
      case .io(let error): throw .storageFailed(error.description)
      }
    }
    defer { extendLifetime(lock) }
    var entries = try read().entries
    let result = try body(&entries)
    do throws(IOError) {
      try directory.replaceFile(Self.fileName, with: TokenFile.encode(entries))
    } catch {
      throw .storageFailed(error.description)
    }
    return result
  }

  private static let missing: CInt = 2  // ENOENT
}
