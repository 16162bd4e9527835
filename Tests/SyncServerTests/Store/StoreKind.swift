import NyaruSyncLog
import NyaruSyncServer
import TestSupport

/// The stores that keep the same promises.
enum StoreKind: CaseIterable, Sendable {
  case memory
  case embedded

  /// A store that is new, and how to close it.
  func open() async throws -> (store: any EndpointStore, close: @Sendable () async throws -> Void) {
    switch self {
    case .memory: return (MemoryEndpoint(), {})
    case .embedded:
      let directory = try TemporaryDirectory()
      let store = try await EmbeddedEndpointStore.open(path: directory.path)
      let close: @Sendable () async throws -> Void = {
        try await store.close()
        withExtendedLifetime(directory) {}
      }
      return (store, close)
    }
  }
}
