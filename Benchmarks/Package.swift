// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses the database needs the engines it is compared to.
let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "Nyaru", path: "..")],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(name: "CRocksDB", providers: [.apt(["librocksdb-dev"])]),
    .systemLibrary(name: "CProcess"),
    .executableTarget(
      name: "bench",
      dependencies: [
        .product(name: "Nyaru", package: "Nyaru"), "CSQLite", "CLMDB", "CRocksDB", "CProcess",
      ]),
  ]
)

// The policy of the main package.
for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
  ]
}
