internal import Synchronization

/// Deflate streams that are used again, since making one costs more than compressing a document.
final class DeflaterPool: Sendable {
  static let shared = DeflaterPool()

  /// One stream, with its window of about 256 KiB.
  private final class Lane: Sendable {
    let deflater = Mutex(Deflater())
  }

  private let lanes = (0..<4).map { _ in Lane() }

  /// Runs the body with a stream that nobody else uses meanwhile.
  func withDeflater<Result: Sendable>(_ body: (Deflater) -> Result) -> Result {
    for lane in lanes {
      if let result = lane.deflater.withLockIfAvailable({ body($0) }) { return result }
    }
    return lanes[0].deflater.withLock { body($0) }
  }
}
