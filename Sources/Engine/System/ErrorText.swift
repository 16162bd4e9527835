import Glibc

/// The C library's words for an error number.
package enum ErrorText {
  package static func message(for code: CInt) -> String {
    guard code != 0, let text = unsafe strerror(code) else { return "unexpected end of file" }
    return unsafe String(cString: text)
  }
}
