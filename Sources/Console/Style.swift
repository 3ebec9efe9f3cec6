/// How a piece of text stands out.
public enum Emphasis: Sendable, CaseIterable {
  /// Heavier.
  case bold
  /// Fainter.
  case dim
  /// Red.
  case red
  /// Green.
  case green
  /// Yellow.
  case yellow
  /// Blue.
  case blue
  /// Magenta.
  case magenta
  /// Cyan.
  case cyan

  /// The parameter of the control sequence "Select Graphic Rendition" (ECMA-48).
  var parameter: String {
    switch self {
    case .bold: "1"
    case .dim: "2"
    case .red: "31"
    case .green: "32"
    case .yellow: "33"
    case .blue: "34"
    case .magenta: "35"
    case .cyan: "36"
    }
  }
}

/// Turns emphasis into control sequences, or into nothing where they are not wanted.
public enum Style: Sendable {
  /// Text only.
  case plain
  /// Control sequences of ANSI terminals.
  case ansi

  /// The text between the sequences that switch the emphasis on and off.
  public func paint(_ text: String, _ emphasis: Emphasis) -> String {
    switch self {
    case .plain: text
    case .ansi: "\u{1b}[\(emphasis.parameter)m\(text)\u{1b}[0m"
    }
  }

  /// Appends bytes with an emphasis, or as they are when there is none.
  func append(_ text: [UInt8], _ emphasis: Emphasis?, to bytes: inout [UInt8]) {
    guard self == .ansi, let emphasis, !text.isEmpty else {
      bytes.append(contentsOf: text)
      return
    }
    bytes.append(contentsOf: "\u{1b}[".utf8)
    bytes.append(contentsOf: emphasis.parameter.utf8)
    bytes.append(UInt8(ascii: "m"))
    bytes.append(contentsOf: text)
    bytes.append(contentsOf: "\u{1b}[0m".utf8)
  }
}
