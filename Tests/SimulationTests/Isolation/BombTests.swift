import Foundation
import NyaruEngine
import NyaruSyncLog
import Testing

/// Small inputs that announce much, or nest deep, on threads with little stack.
@Suite struct BombTests {
  /// A decoder that gets any bytes; whether it throws does not matter here.
  struct Decoder: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable ([UInt8]) -> Void

    init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
      testDescription = name
      self.run = run
    }
  }

  static let decoders = [
    Decoder("MessagePack") { bytes in
      _ = try? MessagePackReader.validateDocument(bytes.span)
      var reader = MessagePackReader(bytes.span)
      _ = try? reader.readValue()
      _ = try? JSONText.write(messagePack: bytes.span)
      _ = try? FieldReader.value(at: FieldPath("a.0.a"), in: bytes, format: .messagePack)
      _ = try? OrderedKey.key(at: FieldPath("a"), in: bytes, format: .messagePack)
      _ = try? DocumentDecoder().decode(DocumentMap.self, from: bytes, format: .messagePack)
    },
    Decoder("JSON") { bytes in
      _ = try? JSONText.messagePack(from: bytes.span)
      _ = try? FieldReader.value(at: FieldPath("a.0.a"), in: bytes, format: .json)
      _ = try? DocumentDecoder().decode(DocumentMap.self, from: bytes, format: .json)
    },
    Decoder("keys") { _ = try? OrderedKey.decode($0) },
    Decoder("filters") { _ = try? Filter(parsing: String(decoding: $0, as: UTF8.self)) },
    Decoder("checkpoints") { _ = try? CheckpointDirectory($0.span) },
    Decoder("manifests") { bytes in
      _ = try? DatabaseManifest(
        decoding: ManifestFrame.encode(bytes, magic: "NYDB", format: 1))
      let body = ManifestFrame.encode(bytes, magic: "NYCM", format: 1)
      _ = try? CollectionManifest(decoding: body, fileName: "users", key: nil)
      _ = try? PeerCheckpoint(decoding: ManifestFrame.encode(bytes, magic: "NYPC", format: 1))
      _ = try? PendingReidentification(
        decoding: ManifestFrame.encode(bytes, magic: "NYPR", format: 1))
    },
    Decoder("envelopes") { _ = try? EnvelopeHeader(envelope: $0.span) },
    Decoder("messages") { bytes in
      _ = try? Message(bytes)
      for type in UInt8.min...8 {
        var message = MessageWriter()
        message.frame(type == 0 ? 0x40 : type, bytes)
        let whole = message.finish()
        _ = try? SessionRequest(decoding: whole)
        _ = try? SessionAnswer(decoding: whole)
        _ = try? PullRequest(decoding: whole)
        _ = try? PullPage(decoding: whole)
        _ = try? PushRequest(decoding: whole)
        _ = try? PushAnswer(decoding: whole)
        _ = try? FetchRequest(decoding: whole)
        _ = try? FetchAnswer(decoding: whole)
      }
    },
    Decoder("records") { bytes in
      var reader = ByteReader(bytes.span)
      _ = try? Prelude(from: &reader, sequence: 7, authors: [], isCompressed: true)
    },
    Decoder("compressed bytes") { bytes in
      var output: [UInt8] = []
      _ = try? Inflater().inflate(bytes.span, size: 1 << 20, into: &output)
    },
  ]

  /// Openers of every format, again and again: what is never closed.
  private static let nests: [[UInt8]] =
    [
      [0x91], [0x81, 0xA1, 0x61], [0xDC, 0, 1], [0xDD, 0, 0, 0, 1],
      [0xDF, 0, 0, 0, 1, 0xA1, 0x61], [0x80], [0xFF], [0x40],
    ]
    + [
      "[", "{\"a\":", "[{\"a\":", "(", "not ", "a = 1 and (", "not (", "\"", "\\",
    ].map { Array($0.utf8) }

  /// Counts and sizes beyond all bounds.
  private static let counts: [[UInt8]] = [
    [0xDD, 255, 255, 255, 255], [0xDF, 255, 255, 255, 255], [0xDB, 255, 255, 255, 255],
    [0xC6, 255, 255, 255, 255], [0xDF, 127, 255, 255, 255, 0xA1, 0x61, 0xC0],
    [UInt8](repeating: 255, count: 9) + [1],
    [UInt8](repeating: 0, count: 16) + [255, 255, 255, 127],
    [1, 255, 255, 255, 255, 15], [0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 127],
  ]

  private static let bombs: [[UInt8]] =
    counts
    + nests.flatMap { nest in
      [129, 1_000, 40_000].map { [UInt8]([[UInt8]](repeating: nest, count: $0).joined()) }
    }

  @Test(arguments: decoders)
  func `a bomb is refused on a thread of the tasks`(decoder: Decoder) async {
    await Task.detached { for bomb in Self.bombs { decoder.run(bomb) } }.value
  }

  @Test(arguments: decoders)
  func `a bomb is refused on half a megabyte of stack`(decoder: Decoder) async {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        for bomb in Self.bombs { decoder.run(bomb) }
        continuation.resume()
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
  }
}
