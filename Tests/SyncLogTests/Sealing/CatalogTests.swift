import NyaruEngine
import NyaruSyncLog
import TestSupport
import Testing

@Suite struct CatalogTests {
  @Test func `an entry comes back from its state`() throws {
    let catalog = Catalog(name: "a/b 🐈", idField: "id")
    #expect(try Catalog(catalog.state) == catalog)
    #expect(catalog.state == Catalog(name: "a/b 🐈", idField: "id").state)
  }

  @Test func `entries that differ fork`() {
    let one = Catalog(name: "users", idField: "id").state
    let other = Catalog(name: "users", idField: "email").state
    #expect(one.vector == other.vector && !one.isSame(as: other))
  }

  @Test func `other states are no catalog entries`() {
    for state in [States.written(0, 1, [1, 0x61, 1, 0x62]), States.written(1, 1, []), .unwritten] {
      #expect(throws: FormatError.self) { try Catalog(state) }
    }
  }

  @Test func `its envelope opens as one`() throws {
    let keys = VaultKeys(key: .random())
    let tags = TagMaker(keys)
    let collection = tags.collection("users")
    let catalog = Catalog(name: "users", idField: "id")
    let sealer = try EnvelopeSealer(keys: keys, collection: collection)
    let nonce = RandomBytes.next(24)
    var list = EnvelopeList()
    try sealer.seal(
      catalog.state, idKey: [], header: catalog.header(tags: tags, collection: collection),
      nonce: nonce.span, group: nil, into: &list)
    let envelope = list[0]
    let opened = try sealer.open(envelope.span)
    #expect(opened.header.record == tags.catalog(of: collection))
    #expect(try Catalog(opened.state) == catalog)
  }
}
