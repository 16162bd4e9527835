/// What the command's exit status says. The numbers are part of its interface.
package enum ExitCode: Int32, CaseIterable, Sendable {
  case clean = 0
  case differences = 1
  case usage = 2
  case authentication = 3
  case network = 4
  case `protocol` = 5
  case diverged = 6
  case brake = 7
  case busy = 8
  case damage = 9

  package var explanation: String {
    switch self {
    case .clean: "all was done"
    case .differences:
      "not all: conflicts or refused records are left, a document is not there,"
        + " input is wrong"
    case .usage: "the arguments are wrong, or name what is not there"
    case .authentication: "a key or token is missing, wrong or not allowed to do this"
    case .network: "the endpoint was not reached or stopped answering"
    case .protocol: "what answered is no endpoint, or speaks another version or vault"
    case .diverged: "the histories had diverged, and were reconciled"
    case .brake: "stopped: it would have deleted a large part of a collection"
    case .busy: "another process has the database open"
    case .damage: "the database is damaged, or the disk failed"
    }
  }
}
