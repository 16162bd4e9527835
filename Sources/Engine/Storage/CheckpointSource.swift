internal import Synchronization

/// A checkpoint file of which parts are still to be read.
///
/// It remembers the first part that did not read. What was found with a stand-in in its place is
/// no answer, so whoever uses an image asks ``check()`` before believing what it says.
final class CheckpointSource: Sendable {
  let directory: CheckpointDirectory
  private let file: any File
  private let fileName: String
  private let codec: PayloadCodec
  private let generation: UInt64
  private let state: Mutex<State>

  /// Parts that lookups need come first, then those that writes need, too.
  private let lookupCount: Int
  private let writeCount: Int
  private let pendingLookups: Atomic<Int>
  private let pendingWrites: Atomic<Int>
  private let hasFailed = Atomic(false)

  private struct State {
    var isRead: [Bool]
    var failure: StorageError?
  }

  /// `partCount` parts will ask to be read.
  init(
    _ directory: CheckpointDirectory, partCount: Int, file: any File, codec: PayloadCodec,
    generation: UInt64
  ) {
    self.directory = directory
    self.file = file
    self.codec = codec
    self.generation = generation
    fileName = Checkpoint.fileName(generation)
    state = Mutex(State(isRead: Array(repeating: false, count: partCount)))
    lookupCount = directory.chunks.count { chunk in
      [.table, .packedTable, .ids].contains(chunk.structure)
    }
    writeCount = lookupCount + directory.chunks.count { $0.structure == .index }
    pendingLookups = Atomic(lookupCount)
    pendingWrites = Atomic(writeCount)
  }

  /// Whether parts of the table or of the ids are still to be read.
  var isPartialForLookups: Bool { pendingLookups.load(ordering: .acquiring) > 0 }

  /// Whether parts of the table, of the ids or of an index are still to be read.
  var isPartialForWrites: Bool { pendingWrites.load(ordering: .acquiring) > 0 }

  /// Why a part did not read.
  var failure: StorageError? {
    hasFailed.load(ordering: .acquiring) ? state.withLock { $0.failure } : nil
  }

  func check() throws(StorageError) {
    if let failure { throw failure }
  }

  /// A part of the image, in a chunk.
  func part<Content: Sendable>(
    _ part: Int, chunk number: Int, standIn: @escaping @Sendable () -> Content,
    _ decode: @escaping @Sendable (Span<UInt8>) throws(FormatError) -> Content
  ) -> LazyPart<Content> {
    LazyPart { [self] in
      do throws(CheckpointFailure) {
        let bytes = try read(number)
        let content: Content
        do throws(FormatError) { content = try decode(bytes.span) } catch { throw .format(error) }
        note(part)
        return .content(content)
      } catch {
        note(error, chunk: number)
        return .standIn(standIn())
      }
    }
  }

  /// A chunk's bytes, as they were before sealing.
  func read(_ number: Int) throws(CheckpointFailure) -> [UInt8] {
    let chunk = directory.chunks[number]
    let stored = try file.reading(chunk.size, at: chunk.offset)
    do throws(FormatError) {
      guard Checksum.of(stored.span) == chunk.crc else { throw .checksumMismatch }
      guard codec.isSealing else { return stored }
      let place = PayloadCodec.ChunkPlace(generation: generation, number: UInt64(number))
      return try codec.loadChunk(stored.span, place: place)
    } catch {
      throw .format(error)
    }
  }

  private func note(_ part: Int) {
    let isNew = state.withLock { state in
      defer { state.isRead[part] = true }
      return !state.isRead[part]
    }
    guard isNew else { return }
    if part < lookupCount { pendingLookups.subtract(1, ordering: .acquiringAndReleasing) }
    if part < writeCount { pendingWrites.subtract(1, ordering: .acquiringAndReleasing) }
  }

  /// Remembers why nothing that needs more than the chunks that were read can be answered.
  func note(_ error: StorageError) {
    state.withLock { $0.failure = $0.failure ?? error }
    hasFailed.store(true, ordering: .releasing)
  }

  /// Remembers why a chunk did not read.
  func note(_ failure: CheckpointFailure, chunk number: Int) {
    switch failure {
    case .io(let error): note(.io(error))
    case .format:
      note(
        .damaged(
          file: fileName, offset: directory.chunks[number].offset,
          what: "a part of the checkpoint does not read"))
    }
  }
}

/// Why a checkpoint does not count.
enum CheckpointFailure: Error, Equatable {
  case io(IOError)
  case format(FormatError)
}

extension File {
  func reading(_ count: Int, at offset: UInt64) throws(CheckpointFailure) -> [UInt8] {
    let bytes: [UInt8]
    do { bytes = try read(count, at: offset) } catch { throw .io(error) }
    guard bytes.count == count else { throw .format(.truncated) }
    return bytes
  }
}
