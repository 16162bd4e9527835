import NyaruEngine
import Testing
import nyaru_sync

@Suite struct CommandFailureTests {
  @Test(arguments: [
    (NyaruError.databaseLocked(path: "d", processID: 7), ExitCode.busy),
    (.wrongKey(reason: "no"), .authentication),
    (.decryptionFailed, .authentication),
    (.databaseNotFound(path: "d"), .usage),
    (.duplicateID(.integer(1)), .differences),
    (.damaged(path: "f", reason: "no"), .damage),
    (.storageFailed(operation: "pwrite", path: "f", errno: 28), .damage),
    (.needsReopening(reason: "no"), .damage),
  ])
  func `an error of the engine has a status, and its own words`(error: NyaruError, code: ExitCode) {
    #expect(CommandFailure(error) == CommandFailure(code, error.description))
  }
}
