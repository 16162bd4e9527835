import NyaruEngine

extension CommandFailure {
  /// The one place where errors of the libraries become a status and a message.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    default: self.init(.damage, "\(error)")
    }
  }
}
