import NyaruSyncLog
import NyaruSyncServer
import TestSupport

/// The stores that keep the same promises.
enum StoreKind: CaseIterable, Sendable {
  case memory

  /// A store that is new, and how to close it.
  func open() async throws -> (store: any EndpointStore, close: @Sendable () async throws -> Void) {
    switch self {
    case .memory: (MemoryEndpoint(), {})
    }
  }
}
