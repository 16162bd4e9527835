/// The first word of an invocation: what to do.
package enum Verb: String, CaseIterable, Sendable {
  case initialize = "init"
  case `import`
  case export
  case put
  case get
  case delete
  case find
  case sync
  case push
  case pull
  case conflicts
  case resolve
  case status
  case key
  case rekey
  case token
  case serve
  case compact
  case check
  case help
}
