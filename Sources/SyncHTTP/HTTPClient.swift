/// Sends requests over kept connections, on a thread of its own.
///
/// The client follows no redirects, keeps no cookies and asks for no content encodings. It ends
/// with its last reference.
package final class HTTPClient: Sendable {
  private let thread: TransferThread

  package init(_ configuration: HTTPConfiguration = HTTPConfiguration()) {
    thread = TransferThread(configuration)
  }

  deinit { thread.close() }

  /// Sends one request and returns the answer, whatever its status.
  ///
  /// Cancelling the task aborts the transfer and closes its connection.
  package func post(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let cancellation = CancellationFlag()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        thread.submit(
          TransferOrder(
            request: request, cancellation: cancellation, continuation: continuation))
      }
    } onCancel: {
      cancellation.set()
      thread.wake()
    }
    return try outcome.get()
  }
}
