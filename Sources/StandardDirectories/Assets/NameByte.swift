/// The bytes that mean something in the names of assets and in paths.
enum NameByte {
  static let slash = UInt8(ascii: "/")
  static let dot = UInt8(ascii: ".")
  static let space = UInt8(ascii: " ")
  static let dash = UInt8(ascii: "-")
  static let at = UInt8(ascii: "@")
  static let tilde = UInt8(ascii: "~")
  static let x = UInt8(ascii: "x")
  static let h = UInt8(ascii: "h")
  static let d = UInt8(ascii: "d")

  static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}
