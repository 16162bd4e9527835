import NyaruEngine
import TestSupport
import Testing

@Suite struct NamesTests {
  private static let nasty =
    [
      "", " ", ".", "..", "...", "a/b", "a%2fb", "/", "\0", "a\0b", "users", "Users", "USERS",
      "+users", "u+sers", "%", "%%", "~", "_", "-", "a.b", "a.new", "é", "e\u{301}", "K",
      "\u{212A}",
      "ß", "SS", "ss", "ſ", "s", "İ", "ı", "i", "I", "con", "NUL", "manifest", "LOCK",
      "h0123456789abcdef0123456789abcdef", "\u{FEFF}a", "a\u{200D}", "🐈", "👨‍👩‍👧‍👦",
    ]
    + (95...105).map { String(repeating: "a", count: $0) }
    + (30...36).map { String(repeating: "é", count: $0) }
    + [
      String(repeating: "🐈", count: 300), String(repeating: "👨‍👩‍👧‍👦", count: 300),
      String(repeating: "a", count: 100) + "b", String(repeating: "x", count: 1_024),
      String(repeating: "X", count: 1_024),
    ]

  @Test(arguments: [nil, SecretKey.random()])
  func `distinct names are distinct files, also where case does not count`(key: SecretKey?) {
    let names = Names(key: key)
    let files = Self.nasty.map { names.fileName(for: $0, in: .collection) }
    #expect(Set(files.map { $0.lowercased() }).count == Self.nasty.count)
    for file in files {
      #expect((1...125).contains(file.utf8.count))
      #expect(!file.contains(".") && !file.contains("/") && file == file.lowercased())
      #expect(file.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    }
  }

  /// The escape is a format: these names are on disks.
  @Test(arguments: [
    ("users", "users"), ("", "%"), ("..", "%2e%2e"), ("a/b", "a%2fb"),
    ("My Users-2", "+my%20+users-2"),
    ("é", "%c3%a9"), ("a\0", "a%00"), ("a_%+", "a_%25%2b"),
    (String(repeating: "a", count: 100), String(repeating: "a", count: 100)),
    (
      String(repeating: "a", count: 101),
      String(repeating: "a", count: 60)
        + "~9d0793397991b57a99a07c6e6b4a92bab68dbf605345cd0b87f385a448a726bc"
    ),
    (
      String(repeating: "é", count: 50),
      String(repeating: "%c3%a9", count: 10)
        + "~2d18fe4b61f0113952aaa8999ee5cfedb640a6206d9c38848ea3451be2882455"
    ),
  ])
  func `names stay readable`(name: String, file: String) {
    #expect(Names(key: nil).fileName(for: name, in: .collection) == file)
  }

  @Test func `with a key, a file name tells neither the name nor that two are equal`() {
    let names = Names(key: .random())
    let scopes: [Names.Scope] = [
      .collection, .peer, .shard(collectionID: [1]), .shard(collectionID: [2]),
    ]
    let files = scopes.map { names.fileName(for: "users", in: $0) }
    #expect(Set(files).count == scopes.count)
    for file in files { #expect(file.utf8.count == 33 && !file.contains("users")) }
    #expect(Names(key: .random()).fileName(for: "users", in: .peer) != files[1])
  }
}
