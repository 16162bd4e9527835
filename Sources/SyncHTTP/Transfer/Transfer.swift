internal import CCurl
internal import Synchronization

/// A request on its way to the transfer thread, and where its outcome goes.
struct TransferOrder: Sendable {
  let request: HTTPRequest
  let cancellation: CancellationFlag
  let continuation: CheckedContinuation<Result<HTTPResponse, HTTPFailure>, Never>
}

/// Says across threads that nobody waits for an outcome any more.
final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }
}

/// A libcurl handle, which keeps TLS sessions and resolved names from transfer to transfer.
@safe final class EasyHandle {
  let pointer: UnsafeMutableRawPointer

  init?() {
    guard let pointer = unsafe curl_easy_init() else { return nil }
    unsafe self.pointer = pointer
  }

  /// Whoever has the handle in a multi handle takes it out first.
  deinit { unsafe curl_easy_cleanup(pointer) }
}

/// One running transfer. It lives on the transfer thread and is used by no other.
///
/// libcurl holds a plain pointer to the transfer. It is valid because whoever starts a transfer
/// keeps it until ``end()`` has taken the pointer back.
@safe final class Transfer {
  let handle: EasyHandle
  let order: TransferOrder
  private var collector: AnswerCollector
  private var headers: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>

  /// Uses a handle that is in no multi handle.
  init(_ order: TransferOrder, handle: EasyHandle, configuration: HTTPConfiguration) {
    self.order = order
    self.handle = handle
    collector = AnswerCollector(sizeLimit: configuration.answerSizeLimit)
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  private var easy: UnsafeMutableRawPointer { unsafe handle.pointer }

  deinit {
    unsafe curl_slist_free_all(headers)
    unsafe errorText.deallocate()
  }

  /// Sets every option; on failure the transfer must not be started.
  func prepare(_ configuration: HTTPConfiguration) -> HTTPFailure? {
    unsafe curl_easy_reset(easy)
    if let failure = prepareRequest() { return failure }
    preparePolicy(configuration)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    unsafe ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
    unsafe ccurl_set_pointer(easy, CURLOPT_PRIVATE, context)
    unsafe ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    unsafe ccurl_set_data_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      unsafe Transfer.receive(bytes, size, count, context) { transfer, bytes in
        transfer.collector.receiveBody(count: bytes.count) { body in
          unsafe body.append(contentsOf: bytes)
        }
      }
    }
    unsafe ccurl_set_data_function(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      unsafe Transfer.receive(bytes, size, count, context) { transfer, bytes in
        unsafe transfer.collector.receiveHeader(Array(bytes))
      }
    }
    return nil
  }

  /// What libcurl's result means.
  func outcome(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
    if collector.isTooLarge { return .failure(.answerTooLarge(limit: collector.sizeLimit)) }
    if code == CURLE_OK, collector.isHeaderComplete { return .success(collector.response) }
    if code == CURLE_OK { return .failure(.connectionLost("the answer ends in its header")) }
    var text = unsafe String(cString: errorText)
    if text.isEmpty { text = unsafe String(cString: curl_easy_strerror(code)) }
    var sent: curl_off_t = 0
    unsafe ccurl_get_size(easy, CURLINFO_PRETRANSFER_TIME_T, &sent)
    return .failure(TransferFailures.failure(code, text: text, isConnected: sent > 0))
  }

  /// Gives the outcome to whoever waits, once, and forgets every pointer.
  func end(_ outcome: Result<HTTPResponse, HTTPFailure>) {
    unsafe curl_easy_reset(easy)
    order.continuation.resume(returning: outcome)
  }

  private func prepareRequest() -> HTTPFailure? {
    let request = order.request
    for header in request.headers {
      guard header.isWellFormed else { return .invalidRequest("header \(header.name)") }
      // A header without a value would be removed; a semicolon keeps it, empty.
      let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
      guard let list = unsafe curl_slist_append(headers, line) else {
        return .invalidRequest("out of memory")
      }
      unsafe headers = list
    }
    guard unsafe ccurl_set_string(easy, CURLOPT_URL, request.url) == CURLE_OK else {
      return .invalidRequest(request.url)
    }
    unsafe ccurl_set_list(easy, CURLOPT_HTTPHEADER, headers)
    unsafe ccurl_set_number(easy, CURLOPT_POST, 1)
    unsafe ccurl_set_size(
      easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
    // Copied, so that libcurl can send it again where a kept connection turns out to be dead.
    // An empty array has an address, too; a null pointer would mean that no body was given.
    let result = unsafe request.body.withUnsafeBufferPointer { body in
      unsafe ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, body.baseAddress)
    }
    return result == CURLE_OK ? nil : .invalidRequest("out of memory")
  }

  private func preparePolicy(_ configuration: HTTPConfiguration) {
    unsafe ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    unsafe ccurl_set_number(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    unsafe ccurl_set_number(easy, CURLOPT_FOLLOWLOCATION, 0)
    unsafe ccurl_set_number(easy, CURLOPT_NOSIGNAL, 1)  // Signals belong to the process.
    unsafe ccurl_set_number(easy, CURLOPT_PATH_AS_IS, 1)
    // An empty proxy turns off what the environment says.
    unsafe ccurl_set_string(easy, CURLOPT_PROXY, configuration.proxy ?? "")
    unsafe ccurl_set_string(easy, CURLOPT_USERAGENT, "nyaru")
    unsafe ccurl_set_number(
      easy, CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
    unsafe ccurl_set_number(easy, CURLOPT_LOW_SPEED_LIMIT, configuration.lowSpeedLimit)
    unsafe ccurl_set_number(
      easy, CURLOPT_LOW_SPEED_TIME, max(1, configuration.lowSpeedTime.milliseconds / 1000))
    unsafe ccurl_set_number(easy, CURLOPT_TCP_KEEPALIVE, 1)
    unsafe ccurl_set_number(easy, CURLOPT_SSL_VERIFYPEER, 1)
    unsafe ccurl_set_number(easy, CURLOPT_SSL_VERIFYHOST, 2)
    unsafe ccurl_set_number(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let file = configuration.certificateAuthorityFile {
      unsafe ccurl_set_string(easy, CURLOPT_CAINFO, file)
      unsafe ccurl_set_string(easy, CURLOPT_CAPATH, nil)
    }
  }

  /// The transfer behind a context pointer that libcurl hands back.
  static func at(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    guard let context = unsafe context else { return nil }
    // Set in `prepare` from a live object, and not used by libcurl after `end`.
    return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  private static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?, _ take: (Transfer, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let transfer = unsafe Transfer.at(context) else { return 0 }
    let (total, overflow) = size.multipliedReportingOverflow(by: count)
    guard !overflow else { return 0 }
    // Zero, or any count but the one that was given, makes libcurl end the transfer.
    return unsafe take(transfer, UnsafeRawBufferPointer(start: bytes, count: total))
      ? total : total == 0 ? 1 : 0
  }
}

extension Duration {
  /// Whole milliseconds, cut to what fits.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    let (product, overflow) = Int(seconds).multipliedReportingOverflow(by: 1000)
    if overflow { return seconds < 0 ? .min : .max }
    return product + Int(attoseconds / 1_000_000_000_000_000)
  }
}
