import NyaruSyncServer
import Testing

@Suite struct ConnectionWatchTests {
  private let limits = EndpointLimits()

  @Test func `a head has ten seconds`() {
    let watch = ConnectionWatch(limits: limits, at: .seconds(100))
    #expect(!watch.isOverdue(at: .seconds(110)))
    #expect(watch.isOverdue(at: .milliseconds(110_001)))
  }

  @Test func `a body has time in proportion to its size`() {
    var watch = ConnectionWatch(limits: limits, at: .zero)
    watch.beginBody(size: 1 << 20, at: .seconds(5))
    #expect(!watch.isOverdue(at: .seconds(5 + 15 + 1024)))
    #expect(watch.isOverdue(at: .seconds(5 + 15 + 1025)))
  }

  @Test func `the endpoint's own work is no fault of the client`() {
    var watch = ConnectionWatch(limits: limits, at: .zero)
    watch.beginWork()
    #expect(!watch.isOverdue(at: .seconds(1_000_000)))
  }

  @Test func `a client that does not take its answer is given up`() {
    var watch = ConnectionWatch(limits: limits, at: .zero)
    watch.beginWork()
    watch.beginAnswer(size: 2048, at: .seconds(60))
    #expect(!watch.isOverdue(at: .seconds(77)))
    #expect(watch.isOverdue(at: .seconds(78)))
  }

  @Test func `a kept connection may be idle, and then send a head`() {
    var watch = ConnectionWatch(limits: limits, at: .zero)
    watch.beginIdle(at: .seconds(60))
    #expect(!watch.isOverdue(at: .seconds(85)))
    #expect(watch.isOverdue(at: .seconds(86)))
  }
}
