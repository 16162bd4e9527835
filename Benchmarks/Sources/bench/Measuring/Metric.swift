/// What is measured, in the order of the table.
enum Metric: String, Codable, CaseIterable, Sendable {
  case bulkInsert, unitInsert, pointGet, pointGetSynchronous, update, unitDelete, batchDelete
  case all, stream
  case durableInsert, durableInsertConcurrent, syncAfterThousand
  case compaction
  case cleanOpen, openAfterKill, openAfterLongTail
  case sizeLoaded, sizeCompacted
  case peakMemoryLoading, peakMemory, streamMemory, memoryPerDocument
  case encode, decode

  var title: String {
    switch self {
    case .bulkInsert: "insert in batches of 1,000"
    case .unitInsert: "unit insert"
    case .pointGet: "point get with decode"
    case .pointGetSynchronous: "point get, plain call"
    case .update: "update"
    case .unitDelete: "unit delete"
    case .batchDelete: "delete half in one batch"
    case .all: "full scan into an array of structs"
    case .stream: "full scan, one struct at a time"
    case .durableInsert: "durable unit insert, alone"
    case .durableInsertConcurrent: "durable unit insert, 16 writers"
    case .syncAfterThousand: "sync after 1,000 writes"
    case .compaction: "compaction after that"
    case .cleanOpen: "clean open and first get"
    case .openAfterKill: "open after SIGKILL, 1,000 writes"
    case .openAfterLongTail: "open after SIGKILL, long tail"
    case .sizeLoaded: "size when loaded"
    case .sizeCompacted: "size when compacted"
    case .peakMemoryLoading: "peak memory while loading"
    case .peakMemory: "peak memory of all other work"
    case .streamMemory: "memory that the scan adds"
    case .memoryPerDocument: "heap for each document"
    case .encode: "encode one document"
    case .decode: "decode one document"
    }
  }

  var unit: Unit {
    switch self {
    case .bulkInsert, .unitInsert, .pointGet, .pointGetSynchronous, .update, .unitDelete, .all,
      .stream, .durableInsert, .durableInsertConcurrent:
      .perSecond
    case .batchDelete, .syncAfterThousand, .compaction, .cleanOpen, .openAfterKill,
      .openAfterLongTail:
      .milliseconds
    case .sizeLoaded, .sizeCompacted: .megabytes
    case .peakMemoryLoading, .peakMemory, .streamMemory: .mebibytes
    case .memoryPerDocument: .bytes
    case .encode, .decode: .microseconds
    }
  }
}

/// What a value counts.
enum Unit: String, Sendable {
  case perSecond = "/s"
  case milliseconds = "ms"
  case microseconds = "µs"
  case megabytes = "MB"
  case mebibytes = "MiB"
  case bytes = "B"

  /// Whether more is better.
  var isRate: Bool { self == .perSecond }
}

/// One measured value of one process.
struct Measurement: Codable, Sendable {
  var engine: String
  var count: Int
  var metric: Metric
  var value: Double

  /// Processor time of all threads for one operation, in microseconds, where that says something.
  var processorMicroseconds: Double?

  /// Set where all users shared one city and age.
  var sharesValues: Bool?
}
