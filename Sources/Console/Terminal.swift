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

  /// Whether paths lead to what they name.
  package var links: LinkStyle

  /// Whether a line can be drawn again.
  package var control: Control

  /// Whether somebody reads this output on a screen.
  package var isTerminal: Bool { width != nil }

  /// No terminal but a file or a pipe: no width, no colour.
  package static let absent = Terminal(width: nil, style: .plain, control: .none)

  /// A device that is described by hand, as tests do.
  package init(
    width: Int?, style: Style = .plain, links: LinkStyle = .plain, control: Control = .ansi
  ) {
    self.width = width.map { max(1, $0) }
    self.style = style
    self.links = links
    self.control = control
  }

  /// The device behind a file descriptor.
  ///
  /// The width is the terminal's own, else `COLUMNS`, else 80.
  ///
  /// - Parameters:
  ///   - descriptor: 1 for standard output, 2 for standard error.
  ///   - color: What the user said about colour.
  ///   - hyperlinks: What the user said about links.
  ///   - environment: Looks up an environment variable.
  package init(
    descriptor: Int32,
    color: ColorPolicy = .auto,
    hyperlinks: HyperlinkPolicy = .never,
    environment: (String) -> String? = Terminal.processEnvironment
  ) {
    let isTerminal = SystemCalls.isTerminal(descriptor)
    let isDumb = environment("TERM") == "dumb"
    let width =
      SystemCalls.columns(descriptor)
      ?? environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    let control = isTerminal && !isDumb ? Control.ansi : .none
    self.init(
      width: isTerminal ? width ?? 80 : nil,
      style: color.style(on: control, environment: environment),
      links: hyperlinks.style(on: control),
      control: control
    )
  }

  /// Looks up a variable in the environment of this process.
  package static func processEnvironment(_ name: String) -> String? {
    SystemCalls.environment(name)
  }
}

/// What the user said about colour, named as the values of `--color`.
package enum ColorPolicy: String, Sendable, CaseIterable {
  /// Colour on a terminal, unless the environment says otherwise.
  case auto
  /// Colour everywhere.
  case always
  /// No colour.
  case never

  /// The style for a device.
  ///
  /// An explicit wish of the user goes before the environment. There, `NO_COLOR` counts first
  /// (<https://no-color.org>), then `CLICOLOR_FORCE` (<https://bixense.com/clicolors>); each when it is
  /// not empty, and the latter when it is not `0`.
  func style(on control: Terminal.Control, environment: (String) -> String?) -> Style {
    switch self {
    case .always: return .ansi
    case .never: return .plain
    case .auto:
      guard (environment("NO_COLOR") ?? "").isEmpty else { return .plain }
      let isForced = !["", "0"].contains(environment("CLICOLOR_FORCE") ?? "")
      return isForced || control == .ansi ? .ansi : .plain
    }
  }
}

/// What the user said about links, named as the values of `--hyperlink`.
package enum HyperlinkPolicy: String, Sendable, CaseIterable {
  /// Links on a terminal.
  case auto
  /// Links everywhere.
  case always
  /// No links.
  case never

  /// The style for a device.
  func style(on control: Terminal.Control) -> LinkStyle {
    switch self {
    case .always: .hyperlinks(host: Machine.name)
    case .never: .plain
    case .auto: control == .ansi ? .hyperlinks(host: Machine.name) : .plain
    }
  }
}

/// How a piece of text stands out: the parameters of the control sequence "Select Graphic Rendition"
/// (ECMA-48).
package struct Emphasis: Sendable, Hashable {
  let parameters: String

  private init(unchecked parameters: String) { self.parameters = parameters }

  /// Reads numbers with semicolons between them, such as `01;34`.
  ///
  /// - Returns: `nil` for anything else: nothing but this may come to a terminal from a variable.
  package init?(parameters: some StringProtocol) {
    guard !parameters.isEmpty,
      parameters.utf8.allSatisfy({
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ";")
      })
    else { return nil }
    self.parameters = String(parameters)
  }

  /// Heavier.
  package static let bold = Emphasis(unchecked: "1")
  /// Red.
  package static let red = Emphasis(unchecked: "31")
  /// Green.
  package static let green = Emphasis(unchecked: "32")
  /// Yellow.
  package static let yellow = Emphasis(unchecked: "33")
  /// Blue.
  package static let blue = Emphasis(unchecked: "34")
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
    bytes.append(contentsOf: emphasis.parameters.utf8)
    bytes.append(UInt8(ascii: "m"))
    bytes.append(contentsOf: text)
    bytes.append(contentsOf: "\u{1b}[0m".utf8)
  }
}

/// Whether paths on a terminal can be clicked.
package enum LinkStyle: Sendable, Equatable {
  /// Text only.
  case plain
  /// The control sequence OSC 8 around them, with a `file:` URL on this host.
  case hyperlinks(host: String)

  /// Appends what `text` appends, as a link to a path.
  func append(
    linkTo path: [UInt8]?, to bytes: inout [UInt8], _ text: (inout [UInt8]) -> Void
  ) {
    guard case .hyperlinks(let host) = self, let path else { return text(&bytes) }
    bytes.append(contentsOf: "\u{1b}]8;;file://".utf8)
    Self.appendEncoded(Array(host.utf8), to: &bytes)
    Self.appendEncoded(path, to: &bytes)
    bytes.append(contentsOf: "\u{1b}\\".utf8)
    text(&bytes)
    bytes.append(contentsOf: "\u{1b}]8;;\u{1b}\\".utf8)
  }

  /// Appends bytes as a path of a URL has them (RFC 3986): nothing is left that a terminal would obey.
  private static func appendEncoded(_ text: [UInt8], to bytes: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }
}

/// How the path of a row looks on a terminal.
package struct RowLook: Sendable {
  /// How it stands out.
  package var emphasis: Emphasis?
  /// The absolute path that it leads to.
  package var target: [UInt8]?

  /// Like any text, unless told otherwise.
  package init(emphasis: Emphasis? = nil, target: [UInt8]? = nil) {
    self.emphasis = emphasis
    self.target = target
  }
}

extension Terminal {
  /// Whether the path of a row looks otherwise than plain text.
  package var hasLooks: Bool { style != .plain || links != .plain }

  /// Appends the text of a path as it looks in its row.
  func append(_ text: [UInt8], _ look: RowLook, to bytes: inout [UInt8]) {
    links.append(linkTo: look.target, to: &bytes) { style.append(text, look.emphasis, to: &$0) }
  }
}
