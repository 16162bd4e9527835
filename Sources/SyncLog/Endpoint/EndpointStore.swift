/// What keeps the heads of vaults without being able to read them.
///
/// Every call is one transaction: it happens whole or not at all, and a push that has been answered
/// is durable. The rules by which a store decides are ``EndpointLogic``.
package protocol EndpointStore: Sendable {
  /// Says where each collection of the vault stands, and registers the client's ticket.
  ///
  /// Claimed collections that do not exist are created if `mayCreate`. Where the request is only
  /// asking, nothing is registered or created. The answer names every collection of the vault.
  func session(
    _ request: SessionRequest, vault: VaultID, mayCreate: Bool
  ) async throws(EndpointFailure) -> SessionAnswer

  /// The heads behind a sequence, up to the end of a commit, from what is durable.
  ///
  /// Throws `epochChanged` or `historyChanged` if the epoch, or the chain value at `since`, is not
  /// the one in the request; `since` 0 has the chain value ``Identity/none``.
  func pull(
    _ request: PullRequest, vault: VaultID
  ) async throws(EndpointFailure) -> PullPage

  /// Takes all envelopes in one commit, or none.
  ///
  /// Throws `epochChanged`; `ticketUnknown` if the newest ticket of the replica is not the one in
  /// the request; `recordsRefused` with every envelope that cannot be taken.
  func push(
    _ request: PushRequest, vault: VaultID
  ) async throws(EndpointFailure) -> PushAnswer

  /// All heads of the records that exist; unknown records and collections give none.
  func fetch(
    _ request: FetchRequest, vault: VaultID
  ) async throws(EndpointFailure) -> FetchAnswer
}
