package import NyaruEngine

extension PullRequest {
  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let message = try Message(bytes)
    let body = try message.body(0, type: Message.FrameType.pullRequest)
    var reader = ByteReader(message.bytes.span.extracting(body))
    collection = try CollectionTag(from: &reader)
    epoch = try Epoch(from: &reader)
    since = try reader.readVarint()
    chain = try ChainValue(from: &reader)
    countLimit = try reader.readCount()
    sizeLimit = try reader.readCount()
    markersAfter = try reader.readVarint()
    try reader.readEnd()
  }

  package func encoded() -> [UInt8] {
    var message = MessageWriter()
    message.frame(Message.FrameType.pullRequest) { writer in
      collection.encode(into: &writer)
      epoch.encode(into: &writer)
      writer.writeVarint(since)
      chain.encode(into: &writer)
      writer.writeVarint(UInt64(countLimit))
      writer.writeVarint(UInt64(sizeLimit))
      writer.writeVarint(markersAfter)
    }
    return message.finish()
  }
}

extension PullPage {
  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let message = try Message(bytes)
    let body = try message.body(0, type: Message.FrameType.pageEnd)
    var reader = ByteReader(message.bytes.span.extracting(body))
    through = try reader.readVarint()
    chain = try ChainValue(from: &reader)
    hasMore = try reader.readUInt8() & 1 != 0
    try reader.readEnd()
    envelopes = try EnvelopeList(message, from: 1)
  }

  package func encoded() -> [UInt8] {
    var message = MessageWriter(capacity: envelopes.size + 256)
    message.frame(Message.FrameType.pageEnd) { writer in
      writer.writeVarint(through)
      chain.encode(into: &writer)
      writer.write(hasMore ? UInt8(1) : 0)
    }
    envelopes.encode(into: &message)
    return message.finish()
  }
}

extension PushRequest {
  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let message = try Message(bytes)
    let body = try message.body(0, type: Message.FrameType.pushRequest)
    var reader = ByteReader(message.bytes.span.extracting(body))
    collection = try CollectionTag(from: &reader)
    epoch = try Epoch(from: &reader)
    replica = try ReplicaID(from: &reader)
    ticket = try Ticket(from: &reader)
    pushedThrough = try reader.readVarint()
    try reader.readEnd()
    envelopes = try EnvelopeList(message, from: 1)
  }

  package func encoded() -> [UInt8] {
    var message = MessageWriter(capacity: envelopes.size + 256)
    message.frame(Message.FrameType.pushRequest) { writer in
      collection.encode(into: &writer)
      epoch.encode(into: &writer)
      replica.encode(into: &writer)
      ticket.encode(into: &writer)
      writer.writeVarint(pushedThrough)
    }
    envelopes.encode(into: &message)
    return message.finish()
  }
}

extension PushAnswer {
  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let message = try Message(bytes)
    let body = try message.body(0, type: Message.FrameType.pushAnswer)
    var reader = ByteReader(message.bytes.span.extracting(body))
    before = try reader.readVarint()
    through = try reader.readVarint()
    chain = try ChainValue(from: &reader)
    outcomes = []
    for byte in try reader.readBytes(try reader.readLength()) {
      guard let outcome = Outcome(rawValue: byte) else { throw .unsupported("outcome \(byte)") }
      outcomes.append(outcome)
    }
    try reader.readEnd()
    covering = try EnvelopeList(message, from: 1)
    guard covering.count == outcomes.count(where: { $0 == .covered }) else {
      throw .invalid("not one head for each covered record")
    }
  }

  package func encoded() -> [UInt8] {
    var message = MessageWriter(capacity: covering.size + outcomes.count + 256)
    message.frame(Message.FrameType.pushAnswer) { writer in
      writer.writeVarint(before)
      writer.writeVarint(through)
      chain.encode(into: &writer)
      writer.writeVarint(UInt64(outcomes.count))
      for outcome in outcomes { writer.write(outcome.rawValue) }
    }
    covering.encode(into: &message)
    return message.finish()
  }
}

extension FetchRequest {
  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let message = try Message(bytes)
    let body = try message.body(0, type: Message.FrameType.fetchRequest)
    var reader = ByteReader(message.bytes.span.extracting(body))
    collection = try CollectionTag(from: &reader)
    let count = try reader.readCount()
    guard count <= ProtocolLimits.fetchCount else { throw .lengthOutOfRange(UInt64(count)) }
    records = []
    for _ in 0..<count { records.append(try RecordTag(from: &reader)) }
    try reader.readEnd()
  }

  package func encoded() -> [UInt8] {
    var message = MessageWriter(capacity: 128 + records.count * Identity.size)
    message.frame(Message.FrameType.fetchRequest) { writer in
      collection.encode(into: &writer)
      writer.writeVarint(UInt64(records.count))
      for record in records { record.encode(into: &writer) }
    }
    return message.finish()
  }
}

extension FetchAnswer {
  package init(decoding bytes: [UInt8]) throws(FormatError) {
    let message = try Message(bytes)
    _ = try message.body(0, type: Message.FrameType.fetchAnswer)
    envelopes = try EnvelopeList(message, from: 1)
  }

  package func encoded() -> [UInt8] {
    var message = MessageWriter(capacity: envelopes.size + 128)
    message.frame(Message.FrameType.fetchAnswer, [])
    envelopes.encode(into: &message)
    return message.finish()
  }
}
