/// An option, by its long name.
package enum OptionName: String, CaseIterable, Sendable {
  case help
  case version
  case json
  case quiet
  case key
  case newKey = "new-key"
  case atRest = "at-rest"
  case peerKey = "peer-key"
  case vaultKey = "vault-key"
  case tokenFile = "token-file"
  case idField = "id-field"
  case partitionKey = "partition-key"
  case index
  case upsert
  case `where`
  case sort
  case limit
  case offset
  case count
  case dryRun = "dry-run"
  case join
  case repair
  case keep
  case scopes
  case store
  case listen
  case insecure
  case certificate
  case privateKey = "private-key"

  /// What the option's argument is called, or nil for an option that takes none.
  package var argument: String? {
    switch self {
    case .help, .version, .json, .quiet, .upsert, .count, .dryRun, .join, .repair, .insecure,
      .atRest:
      nil
    case .key, .newKey, .peerKey, .vaultKey, .tokenFile, .certificate, .privateKey: "FILE"
    case .idField, .partitionKey: "FIELD"
    case .index: "FIELD,…"
    case .where: "EXPR"
    case .sort: "FIELD[:desc]"
    case .limit, .offset, .keep: "N"
    case .scopes: "SCOPE,…"
    case .store: "DIR"
    case .listen: "HOST:PORT"
    }
  }

  /// The one-letter form.
  package var letter: Character? {
    switch self {
    case .help: "h"
    case .quiet: "q"
    default: nil
    }
  }

  /// One line for the help text.
  package var explanation: String {
    switch self {
    case .help: "show how to use the command"
    case .version: "show the version"
    case .json: "print the result as JSON"
    case .quiet: "print neither progress nor a summary"
    case .key: "the key of an encrypted database (or NYARU_KEY_FILE)"
    case .newKey: "what the database opens with from now on (or NYARU_NEW_KEY_FILE)"
    case .atRest: "change the key of the files in DIR, not that of the vault"
    case .peerKey: "the key of B, where it is a directory with a key of its own"
    case .vaultKey: "join the vault whose key this file holds"
    case .tokenFile: "the endpoint's token (or NYARU_TOKEN_FILE)"
    case .idField: "the field that identifies a document (default: id)"
    case .partitionKey: "keep documents that differ in this field in different files"
    case .index: "keep an index of each of these fields"
    case .upsert: "replace documents whose id is in use instead of refusing them"
    case .where: "only documents that match, such as 'age >= 18 and country in (\"BR\", \"PT\")'"
    case .sort: "sort by a field; may be given more than once"
    case .limit: "at most N documents"
    case .offset: "leave out the first N documents"
    case .count: "print how many match instead of the documents"
    case .dryRun: "say what would travel, and change nothing"
    case .join: "let B leave its vault, and join that of A"
    case .repair: "set aside what does not read, and rebuild the rest"
    case .keep: "keep version N, as `conflicts` numbers them; 0 is the one that is seen"
    case .scopes: "what the token allows (default: pull,push)"
    case .store: "the endpoint's directory"
    case .listen: "where to listen; port 0 takes a free one"
    case .insecure: "allow plain HTTP beyond this machine, which shows tokens to the network"
    case .certificate: "serve HTTPS with this certificate chain (PEM)"
    case .privateKey: "the certificate's private key (PEM)"
    }
  }
}
