import NyaruSyncLog
import Testing

@Suite struct EndpointFailureTests {
  @Test(arguments: EndpointFailure.Code.allCases)
  func `comes back from its problem document`(code: EndpointFailure.Code) {
    let failure = EndpointFailure(
      code, "detail with \"quotes\"",
      records: [.init(index: 3, code: .tooManyHeads, detail: "64 stand")], retryAfter: 9)
    #expect(EndpointFailure(decoding: failure.encoded(), retryAfter: 9) == failure)
  }

  @Test func `is a problem document of RFC 9457`() {
    let body = EndpointFailure(.epochChanged, "the collection was rebuilt").encoded()
    #expect(
      String(decoding: body, as: UTF8.self)
        == "{\"code\":\"epochChanged\",\"detail\":\"the collection was rebuilt\","
        + "\"retryable\":true,\"status\":409,\"title\":\"The collection began anew\","
        + "\"type\":\"urn:nyaru:problem:epochChanged\"}")
  }

  @Test(arguments: ["", "{}", "[1]", "<html>", #"{"code":"nonsense"}"#])
  func `other bodies are not ours`(text: String) {
    #expect(EndpointFailure(decoding: Array(text.utf8), retryAfter: nil) == nil)
  }
}
