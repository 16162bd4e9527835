import NyaruSyncServer
import Testing

@Suite struct ExchangeTests {
  private let refusal = ServerAnswer(status: 401, contentType: "text/plain", body: [1, 2])
  private let late = ServerAnswer(status: 200, contentType: "text/plain", body: [3])

  private func exchange(_ decision: HeadDecision) -> Exchange {
    Exchange(
      method: "POST", label: RequestLabel(route: "test"), decision: decision, requestID: "1",
      start: .seconds(5))
  }

  private func reading(_ size: Int) -> Exchange {
    exchange(.read(size: size) { [late] _ in late })
  }

  @Test func `a body is complete when it has the announced size`() {
    let exchange = reading(3)
    #expect(exchange.receive(count: 2) { $0 += [7, 8] }.isProceed)
    #expect(exchange.receive(count: 1) { $0 += [9] }.isProceed)
    guard case .work(_, let body) = exchange.advance() else {
      Issue.record("no work")
      return
    }
    #expect(body == [7, 8, 9])
  }

  @Test func `a body that is longer or shorter than announced is given up`() {
    let long = reading(3)
    #expect(long.receive(count: 2) { $0 += [7, 8] }.isProceed)
    #expect(long.receive(count: 2) { $0 += [9, 9] }.isGiveUp)
    let short = reading(3)
    #expect(short.receive(count: 2) { $0 += [7, 8] }.isProceed)
    #expect(short.advance().isGiveUp)
  }

  @Test func `an exchange is answered once`() {
    let exchange = reading(0)
    #expect(!exchange.finish(late), "there is no work yet")
    _ = exchange.advance()
    #expect(exchange.advance().isProceed, "the work goes on")
    #expect(exchange.finish(refusal))
    #expect(!exchange.finish(late))
    guard case .send(let answer) = exchange.advance() else {
      Issue.record("no answer")
      return
    }
    #expect(answer == refusal)
    #expect(exchange.receive(count: 1) { _ in }.isGiveUp)
  }

  @Test func `a refused body is counted and not kept`() {
    let exchange = exchange(.answer(refusal, discarding: 3))
    #expect(exchange.immediateAnswer == nil)
    #expect(exchange.expectedSize == 3)
    #expect(exchange.receive(count: 3) { _ in Issue.record("kept") }.isProceed)
    guard case .send(refusal) = exchange.advance() else {
      Issue.record("no answer")
      return
    }
    let entry = exchange.logEntry(isComplete: true, at: .seconds(6))
    #expect(entry.receivedSize == 3 && entry.sentSize == 2 && entry.milliseconds == 1000)
  }

  @Test func `a refused client that sends more than it announced is given up`() {
    let exchange = exchange(.answer(refusal, discarding: 3))
    #expect(exchange.receive(count: 4) { _ in }.isGiveUp)
  }

  @Test func `an answer that never arrived has no status`() {
    let exchange = exchange(.answer(refusal, discarding: 0))
    #expect(exchange.immediateAnswer == refusal)
    let entry = exchange.logEntry(isComplete: false, at: .seconds(5))
    #expect(entry.status == 0 && entry.sentSize == 0)
  }
}

extension Exchange.Step {
  fileprivate var isProceed: Bool { if case .proceed = self { true } else { false } }
  fileprivate var isGiveUp: Bool { if case .giveUp = self { true } else { false } }
}
