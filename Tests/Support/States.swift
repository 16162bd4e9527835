package import NyaruEngine

/// Short forms for the states that tests write down.
package enum States {
  package static func dot(_ replica: UInt64, _ sequence: UInt64) -> Dot {
    Dot(replica: ReplicaID(number: replica), sequence: sequence)
  }

  /// A record that was written once.
  package static func written(
    _ replica: UInt64, _ sequence: UInt64, _ body: [UInt8], tag: UInt64 = 1, time: UInt64 = 1000
  ) -> RecordState {
    RecordState(
      StandingEntry(
        dot: dot(replica, sequence), tag: tag, time: time, format: .messagePack, body: body))
  }
}
