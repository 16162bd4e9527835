internal import CCurl

/// What libcurl's result codes mean for a caller.
enum TransferFailures {
  /// The failure behind a code; a time-out means something else before a connection is made.
  static func failure(_ code: CURLcode, text: String, isConnected: Bool) -> HTTPFailure {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
      CURLE_PROXY:
      .cannotConnect(text)
    case CURLE_OPERATION_TIMEDOUT:
      isConnected ? .timedOut(text) : .cannotConnect(text)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED:
      .tls(text)
    case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
      .invalidRequest(text)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
      CURLE_HTTP2, CURLE_WRITE_ERROR:
      .notHTTP(text)
    default:
      // Send, receive, partial, empty, and what newer versions add: the request may have
      // arrived, and sending it again is safe.
      .connectionLost(text)
    }
  }
}
