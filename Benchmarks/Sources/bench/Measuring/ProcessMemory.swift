import CProcess
import FoundationEssentials

/// What this process takes of the machine's memory.
enum ProcessMemory {
  /// The largest resident size so far, or since ``resetPeak()``, in bytes.
  static func peak() -> Int { field("VmHWM:") }

  /// The resident size, in bytes.
  static func resident() -> Int { field("VmRSS:") }

  /// Bytes that were allocated and not given back.
  static func allocated() -> Int { cprocess_allocated() }

  /// Lets the peak begin again at what is resident now.
  static func resetPeak() {
    try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
  }

  private static func field(_ name: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    let number = line?.split(separator: " ", omittingEmptySubsequences: true).dropLast().last
    return (number.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0) << 10
  }
}
