/// A further value of an entry, as it is stored and as SQL sees it.
public enum ResourceValue: Sendable, Hashable {
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
}
