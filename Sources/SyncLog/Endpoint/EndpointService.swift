internal import NyaruEngine

/// An answer as it goes over HTTP, or over anything that stands for it.
package struct EndpointResponse: Equatable, Sendable {
  package var status: Int
  package var mediaType: String
  package var body: [UInt8]

  /// Seconds of a `Retry-After` header.
  package var retryAfter: Int?

  package init(status: Int, mediaType: String, body: [UInt8], retryAfter: Int? = nil) {
    self.status = status
    self.mediaType = mediaType
    self.body = body
    self.retryAfter = retryAfter
  }

  package init(_ failure: EndpointFailure) {
    self.init(
      status: failure.code.status, mediaType: EndpointRoute.problemMediaType,
      body: failure.encoded(), retryAfter: failure.retryAfter)
  }
}

/// Answers request bodies from a store: everything between HTTP and the data.
package struct EndpointService: Sendable {
  private let store: any EndpointStore

  package init(store: any EndpointStore) { self.store = store }

  /// Decodes the body, calls the store and encodes the answer, or the failure.
  ///
  /// Whether the caller may use the route at all has been decided before.
  package func respond(
    to route: EndpointRoute, vault: VaultID, body: [UInt8], mayCreate: Bool
  ) async -> EndpointResponse {
    do throws(EndpointFailure) {
      let answer = try await answer(route, vault: vault, body: body, mayCreate: mayCreate)
      return EndpointResponse(status: 200, mediaType: EndpointRoute.mediaType, body: answer)
    } catch {
      return EndpointResponse(error)
    }
  }

  private func answer(
    _ route: EndpointRoute, vault: VaultID, body: [UInt8], mayCreate: Bool
  ) async throws(EndpointFailure) -> [UInt8] {
    switch route {
    case .session:
      let request = try decode { () throws(FormatError) in try SessionRequest(decoding: body) }
      guard request.versions.contains(ProtocolLimits.version) else {
        throw EndpointFailure(
          .unsupportedVersion, "this endpoint speaks version \(ProtocolLimits.version)")
      }
      return try await store.session(request, vault: vault, mayCreate: mayCreate).encoded()
    case .pull:
      let request = try decode { () throws(FormatError) in try PullRequest(decoding: body) }
      return try await store.pull(request, vault: vault).encoded()
    case .push:
      let request = try decode { () throws(FormatError) in try PushRequest(decoding: body) }
      return try await store.push(request, vault: vault).encoded()
    case .fetch:
      let request = try decode { () throws(FormatError) in try FetchRequest(decoding: body) }
      return try await store.fetch(request, vault: vault).encoded()
    }
  }

  private func decode<Request>(
    _ read: () throws(FormatError) -> Request
  ) throws(EndpointFailure) -> Request {
    do throws(FormatError) { return try read() } catch {
      throw EndpointFailure(.malformed, "\(error)")
    }
  }
}
