// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Nyaru",
  products: [
    .library(name: "Nyaru", targets: ["Nyaru"]),
    .library(name: "NyaruSyncServer", targets: ["NyaruSyncServer"]),
    .executable(name: "nyaru-sync", targets: ["nyaru-sync"]),
  ],
  targets: [
    .systemLibrary(name: "CSystem", path: "Sources/C/CSystem"),
    .systemLibrary(
      name: "CZlib", path: "Sources/C/CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "COpenSSL", path: "Sources/C/COpenSSL", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CCurl", path: "Sources/C/CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", path: "Sources/C/CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CGetopt", path: "Sources/C/CGetopt"),

    .target(
      name: "NyaruEngine", dependencies: ["CSystem", "CZlib", "COpenSSL"], path: "Sources/Engine"),
    .target(name: "NyaruSyncLog", dependencies: ["NyaruEngine"], path: "Sources/SyncLog"),
    .target(
      name: "NyaruSyncHTTP", dependencies: ["NyaruSyncLog", "NyaruEngine", "CCurl"],
      path: "Sources/SyncHTTP"),
    .target(
      name: "NyaruSyncServer", dependencies: ["NyaruSyncLog", "NyaruEngine", "CMicroHTTPD"],
      path: "Sources/SyncServer"),
    .target(
      name: "Nyaru", dependencies: ["NyaruEngine", "NyaruSyncLog", "NyaruSyncHTTP"],
      path: "Sources/Nyaru"),
    .executableTarget(
      name: "nyaru-sync", dependencies: ["Nyaru", "NyaruSyncServer", "CGetopt"],
      path: "Sources/nyaru-sync"),

    .target(
      name: "TestSupport", dependencies: ["NyaruEngine", "NyaruSyncLog"], path: "Tests/Support"),
    .testTarget(
      name: "EngineTests", dependencies: ["NyaruEngine", "TestSupport"],
      resources: [.copy("Fixtures")]),
    .testTarget(
      name: "SyncLogTests", dependencies: ["NyaruSyncLog", "NyaruEngine", "TestSupport"],
      resources: [.copy("Fixtures")]),
    .testTarget(
      name: "SyncHTTPTests",
      dependencies: ["NyaruSyncHTTP", "NyaruSyncServer", "NyaruSyncLog", "TestSupport"]),
    .testTarget(
      name: "SyncServerTests",
      dependencies: [
        "NyaruSyncServer", "NyaruSyncHTTP", "NyaruSyncLog", "NyaruEngine", "TestSupport",
      ]),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "NyaruSyncServer", "NyaruSyncHTTP", "NyaruSyncLog", "NyaruEngine", "TestSupport",
      ]),
    .executableTarget(
      name: "kill-writer", dependencies: ["NyaruEngine", "TestSupport"], path: "Tests/KillWriter"),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "nyaru-sync", "kill-writer", "NyaruSyncServer", "NyaruEngine", "TestSupport",
      ],
      resources: [.copy("Fixtures")]),
    .testTarget(name: "TidyTests"),
  ]
)

// One policy for every Swift target: what is risky must be spelled out, and a warning is an error.
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
