import Foundation
import NyaruEngine

/// One property of each kind that a coder treats in its own way.
private struct Everything: Codable, Equatable {
  enum Kind: Codable, Equatable {
    case none
    case some(Int8, name: String)
  }

  var a: Int?
  var b: String?
  var c: [UInt16]?
  var d: [String: Bool]?
  var e: Data?
  var f: Date?
  var g: UUID?
  var h: Kind?
  var i: [Int: Float]?
  var j: Decimal?
  var k: URL?
  var l: [DocumentValue]?
  var m: UInt64?
}

/// A document throws, or decodes to what encodes to a document that decodes to the same.
func fuzzDocumentDecoder(_ bytes: [UInt8]) {
  guard let format = BodyFormat(rawValue: (bytes.first ?? 0) & 1) else { return }
  let body = Array(bytes.dropFirst())
  _ = try? DocumentDecoder().decode(DocumentMap.self, from: body, format: format)
  guard
    let value = try? DocumentDecoder().decode(Everything.self, from: body, format: format)
  else { return }
  guard let encoded = try? DocumentEncoder().encode(value, format: format) else {
    return  // A value may be too deep or too large for a document.
  }
  guard
    let again = try? DocumentDecoder().decode(Everything.self, from: encoded, format: format),
    let twice = try? DocumentEncoder().encode(again, format: format)
  else { preconditionFailure("what was encoded does not decode") }
  precondition(twice.count == encoded.count, "another value came back")
}
