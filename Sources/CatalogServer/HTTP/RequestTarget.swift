/// What a request asks for: a path, and parameters behind it.
struct RequestTarget: Sendable {
  /// The components of the path, decoded.
  let path: [String]
  /// Names and values in their order, decoded as forms are.
  let parameters: [(name: String, value: String)]

  /// Beyond so many bytes a target is refused.
  static let limit = 16_384
  /// Beyond so many parameters as well.
  private static let parameterLimit = 200

  init(parsing target: String) throws(Problem) {
    guard target.utf8.count <= Self.limit else {
      throw Problem(414, "uri_too_long", "the address has more than \(Self.limit) bytes")
    }
    let whole = target.prefix { $0 != "#" }
    let path = whole.prefix { $0 != "?" }
    guard path.first == "/" else { throw Problem(400, "bad_request", "the path begins with no /") }
    self.path = try path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .map { part throws(Problem) in try Self.decoded(part, plusIsSpace: false) }
    let items = whole.dropFirst(path.count + 1).split(separator: "&")
    guard items.count <= Self.parameterLimit else {
      throw Problem(400, "bad_request", "there are more than \(Self.parameterLimit) parameters")
    }
    parameters = try items.map { item throws(Problem) in
      let name = item.prefix { $0 != "=" }
      return (
        try Self.decoded(name, plusIsSpace: true),
        try Self.decoded(item.dropFirst(name.count + 1), plusIsSpace: true)
      )
    }
  }

  private static func decoded(_ text: Substring, plusIsSpace: Bool) throws(Problem) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst()?.hexadecimalDigit,
          let low = rest.popFirst()?.hexadecimalDigit
        else {
          throw Problem(400, "bad_request", "a % stands before something else than two digits")
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    guard let decoded = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw Problem(
        400, "bad_request",
        "the address holds bytes that are no text; a path of such bytes goes into path_base64 or in_base64"
      )
    }
    return decoded
  }
}

extension UInt8 {
  fileprivate var hexadecimalDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
