import Foundation

/// What one input is given to: the function of a file of this folder.
private typealias Target = @Sendable ([UInt8]) -> Void

private let targets: [String: Target] = [
  "CheckpointDirectory": fuzzCheckpointDirectory, "CollectionManifest": fuzzCollectionManifest,
  "DatabaseManifest": fuzzDatabaseManifest, "DocumentDecoder": fuzzDocumentDecoder,
  "Envelope": fuzzEnvelope, "Filter": fuzzFilter, "HeadCell": fuzzHeadCell,
  "Inflater": fuzzInflater, "JSON": fuzzJSON, "KeyText": fuzzKeyText,
  "MessagePack": fuzzMessagePack, "Messages": fuzzMessages, "OrderedKey": fuzzOrderedKey,
  "Prelude": fuzzPrelude, "SealedState": fuzzSealedState, "Shard": fuzzShard,
  "SlotHeader": fuzzSlotHeader, "Store": fuzzStore, "SyncFiles": fuzzSyncFiles,
]

/// `FUZZ_TARGET` names one.
private let target: Target = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = targets[name] else { preconditionFailure("there is no target \(name)") }
  return target
}()

/// Called by libFuzzer, again and again.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
