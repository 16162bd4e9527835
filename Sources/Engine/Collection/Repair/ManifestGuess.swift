/// What a collection was called and how it was laid out, found out from what lies in it.
///
/// The name is in the name of the directory, the collectionID in every shard, and the id field and
/// the partition key are those fields that agree with ids and shards in every document. The indexed
/// fields are lost, and are built anew when somebody names them.
struct ManifestGuess {
  /// Why there is nothing to go by.
  struct Failure: Error {
    let reason: String
  }

  /// Documents that are looked at.
  private static let documentLimit = 1_000

  /// Maps in maps that are looked into.
  private static let depthLimit = 3

  private let names: Names
  private let collectionID: [UInt8]
  private var idFields: Set<[String]>?
  private var partitionKeys: Set<[String]>?
  private var hasPartitions = false
  private var formats: [BodyFormat: Int] = [:]
  private var isCompressed = false

  init(names: Names, collectionID: [UInt8]) {
    self.names = names
    self.collectionID = collectionID
  }

  /// Reads the documents of a store that was opened without a manifest.
  mutating func read(_ snapshot: StoreSnapshot) throws(StorageError) {
    var guess = self
    var count = 0
    try snapshot.scanAll(onDamage: { _, _ in }) { handle, view in
      let partition = snapshot.entry(handle).flatMap { snapshot.shards[$0.shard]?.name.partition }
      let body = DocumentBody(bytes: Array(copying: view.body), format: view.layout.format)
      guess.take(
        body, idKey: Array(copying: view.idKey), partition: partition ?? "",
        isCompressed: view.stamp.flags.isCompressed)
      count += 1
      return count < Self.documentLimit
    }
    self = guess
  }

  private mutating func take(
    _ body: DocumentBody, idKey: [UInt8], partition: String, isCompressed: Bool
  ) {
    guard let document = try? Document(bytes: body.bytes, format: body.format) else { return }
    formats[body.format, default: 0] += 1
    if isCompressed { self.isCompressed = true }
    let scope = Names.Scope.shard(collectionID: collectionID)
    let isDefault = partition == names.fileName(for: DocumentShape.defaultShardKey, in: scope)
    if !isDefault { hasPartitions = true }
    var ids: Set<[String]> = []
    var partitions: Set<[String]> = []
    Self.forEachField(of: document.fields, below: []) { path, value in
      if (try? DocumentShape.idKey(of: value)) == idKey { ids.insert(path) }
      if names.fileName(for: DocumentShape.shardKey(for: value), in: scope) == partition {
        partitions.insert(path)
      }
    }
    idFields = idFields?.intersection(ids) ?? ids
    // A document without the field lies in the default shard, too.
    if !isDefault { partitionKeys = partitionKeys?.intersection(partitions) ?? partitions }
  }

  private static func forEachField(
    of map: DocumentMap, below path: [String], _ body: ([String], DocumentValue) -> Void
  ) {
    for (key, value) in map.entries {
      body(path + [key], value)
      if case .map(let inner) = value, path.count + 1 < depthLimit {
        forEachField(of: inner, below: path + [key], body)
      }
    }
  }

  /// The manifest of a collection of this name.
  func manifest(name: String, created: UInt64) throws(Failure) -> CollectionManifest {
    let idField = Self.likeliest(idFields ?? [["id"]], preferring: "id")
    guard let idField else { throw Failure(reason: "no field holds the ids of its documents") }
    var partitionKey: [String]?
    if hasPartitions {
      partitionKey = Self.likeliest(partitionKeys ?? [], preferring: "")
      guard partitionKey != nil else {
        throw Failure(reason: "no field tells its documents' partitions")
      }
    }
    let format = formats.max { $0.value < $1.value }?.key ?? .messagePack
    var manifest = CollectionManifest(
      name: name, idField: FieldPath(components: idField).description,
      partitionKey: partitionKey.map { FieldPath(components: $0).description }, format: format,
      compression: isCompressed ? .gzip : .none, created: created)
    manifest.collectionID = collectionID
    return manifest
  }

  /// The preferred path, else the shortest, else the first in the order of bytes.
  private static func likeliest(
    _ paths: Set<[String]>, preferring name: String
  ) -> [String]? {
    if paths.contains([name]) { return [name] }
    return paths.min { left, right in
      left.count != right.count
        ? left.count < right.count
        : left.joined(separator: ".").utf8.lexicographicallyPrecedes(
          right.joined(separator: ".").utf8)
    }
  }
}
