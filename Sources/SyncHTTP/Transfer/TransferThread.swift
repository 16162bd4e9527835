internal import CCurl
internal import Foundation
internal import Synchronization

/// A thread that carries out transfers, so that no task ever blocks on the network.
///
/// It sleeps in libcurl's poll, on its sockets and on a wake-up that any thread may send. Each
/// connection is kept for the next transfer to the same host.
final class TransferThread: Sendable {
  /// What other threads leave for this one.
  private struct Mailbox {
    /// The address of the multi handle while it lives, and else 0: a number, since a pointer may
    /// not cross threads. Only `curl_multi_wakeup` is called with it, which any thread may do.
    var multiAddress: UInt = 0
    var orders: [TransferOrder] = []
    var isClosed = false

    func wake() {
      if let multi = unsafe UnsafeMutableRawPointer(bitPattern: multiAddress) {
        unsafe curl_multi_wakeup(multi)
      }
    }
  }

  private let mailbox: Mutex<Mailbox>
  private let configuration: HTTPConfiguration

  init(_ configuration: HTTPConfiguration) {
    self.configuration = configuration
    mailbox = Mutex(Mailbox())
    Thread.detachNewThread { [self] in run() }
  }

  /// Hands an order over. Its outcome comes even if the thread is closed.
  func submit(_ order: TransferOrder) {
    let isClosed = mailbox.withLock { mailbox in
      if mailbox.isClosed { return true }
      mailbox.orders.append(order)
      mailbox.wake()
      return false
    }
    if isClosed { order.continuation.resume(returning: .failure(.cancelled)) }
  }

  /// Makes the thread look for orders that are cancelled.
  func wake() { mailbox.withLock { $0.wake() } }

  /// Ends the thread; what still runs is cancelled.
  func close() {
    mailbox.withLock { mailbox in
      mailbox.isClosed = true
      mailbox.wake()
    }
  }

  private func run() {
    Self.ignoreBrokenPipes()
    let loop = TransferLoop(configuration)
    let address = unsafe UInt(bitPattern: loop.multi)
    mailbox.withLock { $0.multiAddress = address }
    while true {
      let (orders, isClosed) = mailbox.withLock { mailbox in
        let taken = (mailbox.orders, mailbox.isClosed)
        mailbox.orders = []
        if mailbox.isClosed { mailbox.multiAddress = 0 }
        return taken
      }
      for order in orders { loop.add(order) }
      if isClosed { return loop.close() }
      loop.turn()
    }
  }

  /// OpenSSL writes to a closed socket without asking for silence.
  private static func ignoreBrokenPipes() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}

/// The state of the transfer thread: running transfers and kept connections.
@safe private final class TransferLoop {
  let multi: UnsafeMutableRawPointer?
  private let configuration: HTTPConfiguration
  private var running: [Transfer] = []

  /// What waits for one of the running transfers to end. libcurl could keep such a queue, too,
  /// but forgets about it at times (seen with 7.88), until some time-out comes.
  private var waiting: ArraySlice<TransferOrder> = []

  /// Handles between transfers.
  private var idle: [EasyHandle] = []

  init(_ configuration: HTTPConfiguration) {
    self.configuration = configuration
    _ = Self.isLibraryReady
    unsafe multi = curl_multi_init()
  }

  func add(_ order: TransferOrder) { waiting.append(order) }

  private func start(_ order: TransferOrder) {
    guard let multi = unsafe multi, let handle = idle.popLast() ?? EasyHandle() else {
      return order.continuation.resume(returning: .failure(.invalidRequest("out of memory")))
    }
    let transfer = Transfer(order, handle: handle, configuration: configuration)
    if let failure = transfer.prepare(configuration) {
      transfer.end(.failure(failure))
      idle.append(handle)
      return
    }
    running.append(transfer)
    unsafe curl_multi_add_handle(multi, handle.pointer)
  }

  /// Does what can be done now, then sleeps until there is more.
  func turn() {
    for transfer in running where transfer.order.cancellation.isSet {
      finish(transfer, .failure(.cancelled))
    }
    dropCancelled()
    guard let multi = unsafe multi else { return }
    repeat {
      while running.count < Self.transferLimit, let order = waiting.popFirst() { start(order) }
      unsafe perform(multi)
    } while running.count < Self.transferLimit && !waiting.isEmpty
    unsafe curl_multi_poll(multi, nil, 0, Self.pollMilliseconds, nil)
  }

  /// Each flag is read once: it may be set at any time.
  private func dropCancelled() {
    if waiting.isEmpty { return }
    var kept: [TransferOrder] = []
    for order in waiting {
      if order.cancellation.isSet {
        order.continuation.resume(returning: .failure(.cancelled))
      } else {
        kept.append(order)
      }
    }
    waiting = kept[...]
  }

  private func perform(_ multi: UnsafeMutableRawPointer) {
    var count: CInt = 0
    unsafe curl_multi_perform(multi, &count)
    while let message = unsafe curl_multi_info_read(multi, &count) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      let code = unsafe ccurl_message_result(message)
      let easy = unsafe message.pointee.easy_handle
      if let transfer = running.first(where: { unsafe $0.handle.pointer == easy }) {
        finish(transfer, transfer.outcome(code))
      }
    }
  }

  func close() {
    for transfer in running { finish(transfer, .failure(.cancelled)) }
    for order in waiting { order.continuation.resume(returning: .failure(.cancelled)) }
    waiting = []
    idle = []
    unsafe curl_multi_cleanup(multi)
  }

  private func finish(_ transfer: Transfer, _ outcome: Result<HTTPResponse, HTTPFailure>) {
    unsafe curl_multi_remove_handle(multi, transfer.handle.pointer)
    running.removeAll { $0 === transfer }
    transfer.end(outcome)
    idle.append(transfer.handle)
  }

  /// Transfers at once: an endpoint takes only so many connections from one address.
  private static let transferLimit = 4

  /// Sleeping ends earlier by bytes, by libcurl's own timers and by a wake-up.
  private static let pollMilliseconds: CInt = 60_000

  private static let isLibraryReady = curl_global_init(ccurl_global_default) == CURLE_OK
}
