import FoundationEssentials
import Glibc
import NyaruEngine
import TestSupport
import Testing

/// Every system call of fifty histories fails, once and from then on.
///
/// A failure names the history, the call and the error, which are what a repetition takes.
/// `NYARU_ERROR_CODES` is how many of the errors each call gets; all of them if it is `4`.
@Suite struct ErrorEnumerationTests {
  private static let codes = [EIO, ENOSPC, EINTR, EMFILE]
  private static let codesPerCall =
    Int(ProcessInfo.processInfo.environment["NYARU_ERROR_CODES"] ?? "") ?? 1

  /// The scripted histories, and short random ones.
  static let workloads: [CrashWorkload] =
    CrashWorkload.failing + (100..<138).map { CrashWorkload.mixture(seed: $0, stepCount: 9) }

  @Test func `there are fifty histories`() { #expect(Self.workloads.count == 50) }

  @Test(arguments: workloads)
  func `a call that fails is reported or of no consequence, and nothing durable is lost`(
    workload: CrashWorkload
  ) async throws {
    var whole = WorkloadRun(SimulatedDisk(), options: workload.options)
    try await whole.open()
    for step in workload.steps { try await whole.perform(step) }
    try await whole.close()

    for call in 0..<whole.disk.totalCallCount {
      for isPersistent in [false, true] {
        for number in 0..<min(Self.codes.count, Self.codesPerCall) {
          // Neighbours get different errors, so that each kind of call gets all of them.
          let code = Self.codes[(call + number + (isPersistent ? 2 : 0)) % Self.codes.count]
          let fault = DiskFault(
            .any, after: call, code: code, isPersistent: isPersistent, seed: UInt64(call))
          await Task.yield()  // Others wait for sockets meanwhile.
          do {
            var point = ErrorPoint(workload, fault)
            try await point.check()
          } catch {
            Issue.record(
              """
              \(workload.name), call \(call), errno \(code), persistent \(isPersistent): \(error)
              """)
            return
          }
        }
      }
    }
  }
}
