/// What is known of the device that shows the output.
package struct Terminal: Sendable, Equatable {
  /// Whether the device understands the control sequences of ANSI terminals.
  package enum Control: Sendable {
    /// It shows characters and nothing more.
    case none
    /// It erases lines and moves the cursor.
    case ansi
  }

  /// Columns of a line, or `nil` when the output is not a terminal and lines may be of any length.
  package var width: Int?

  /// How text is emphasized.
  package var style: Style

  /// Whether a line can be drawn again.
  package var control: Control

  /// Whether somebody reads this output on a screen.
  package var isTerminal: Bool { width != nil }

  /// No terminal but a file or a pipe: no width, no colour.
  package static let absent = Terminal(width: nil, style: .plain, control: .none)

  /// A device that is described by hand, as tests do.
  package init(width: Int?, style: Style = .plain, control: Control = .ansi) {
    self.width = width.map { max(1, $0) }
    self.style = style
    self.control = control
  }

  /// The device behind a file descriptor.
  ///
  /// The width is the terminal's own, else `COLUMNS`, else 80.
  ///
  /// - Parameters:
  ///   - descriptor: 1 for standard output, 2 for standard error.
  ///   - color: What the user asked for.
  ///   - environment: Looks up an environment variable.
  package init(
    descriptor: Int32,
    color: ColorPolicy = .auto,
    environment: (String) -> String? = Terminal.processEnvironment
  ) {
    let isTerminal = SystemCalls.isTerminal(descriptor)
    let isDumb = environment("TERM") == "dumb"
    let width =
      SystemCalls.columns(descriptor)
      ?? environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    self.init(
      width: isTerminal ? width ?? 80 : nil,
      style: color.style(on: isTerminal && !isDumb ? .ansi : .none, environment: environment),
      control: isTerminal && !isDumb ? .ansi : .none
    )
  }

  /// Looks up a variable in the environment of this process.
  package static func processEnvironment(_ name: String) -> String? {
    SystemCalls.environment(name)
  }
}

/// What the user said about colour, named as the values of `--color`.
package enum ColorPolicy: String, Sendable, CaseIterable {
  /// Colour on a terminal, unless `NO_COLOR` is set.
  case auto
  /// Colour everywhere.
  case always
  /// No colour.
  case never

  /// The style for a device.
  ///
  /// As <https://no-color.org> asks, `NO_COLOR` counts when it is not empty, and an explicit
  /// wish of the user goes before it.
  func style(on control: Terminal.Control, environment: (String) -> String?) -> Style {
    switch self {
    case .always: .ansi
    case .never: .plain
    case .auto:
      control == .ansi && (environment("NO_COLOR") ?? "").isEmpty ? .ansi : .plain
    }
  }
}

/// How a piece of text stands out.
package enum Emphasis: Sendable, CaseIterable {
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
package enum Style: Sendable {
  /// Text only.
  case plain
  /// Control sequences of ANSI terminals.
  case ansi

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
