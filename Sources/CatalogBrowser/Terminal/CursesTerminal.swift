internal import CCurses
internal import CPlatform
internal import FileSystem
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The terminal of this process: takes it, shows grids on it, reads what somebody does, and gives it back.
///
/// For the main thread alone. Only one may have the terminal at a time.
package final class CursesTerminal {
  /// Whether there are colours.
  package enum Colors: Sendable {
    case palette
    case none
  }

  /// Why there is none.
  package enum StartError: Error, CustomStringConvertible {
    case notATerminal
    case unknown(String)
    case failed(Errno)

    package var description: String {
      switch self {
      case .notATerminal: "standard input and output are not a terminal"
      case .unknown(let name): "nothing is known of the terminal “\(name)”"
      case .failed(let reason): "the terminal cannot be used: \(reason)"
      }
    }
  }

  /// What has come from outside.
  package struct Signals: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let end = Signals(cplatform_terminal_end)
    package static let interrupt = Signals(cplatform_terminal_interrupt)
    package static let hangup = Signals(cplatform_terminal_hangup)
    package static let stop = Signals(cplatform_terminal_stop)
    package static let goOn = Signals(cplatform_terminal_continue)
    package static let resize = Signals(cplatform_terminal_resize)

    private init(_ meaning: cplatform_terminal_signal) {
      self.init(rawValue: Int32(meaning.rawValue))
    }
  }

  private let bell: Int32
  private let hasColors: Bool
  private let screen: OpaquePointer?
  private var shown: Grid?
  private var isOpen = true

  /// Takes the terminal.
  ///
  /// - Parameters:
  ///   - bell: what wakes ``wait(atMost:)``, as ``Mailbox`` has it.
  package init(colors: Colors, bell: Mailbox.Bell) throws(StartError) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .notATerminal }
    _ = ccurses_use_utf8()
    let code = cplatform_remember_terminal(STDOUT_FILENO)
    guard code == 0 else { throw .failed(Errno(rawValue: code)) }
    self.bell = bell.listening
    guard let screen = ccurses_begin() else {
      throw .unknown(getenv("TERM").map { String(cString: $0) } ?? "")
    }
    self.screen = screen
    cbreak()
    noecho()
    nonl()
    keypad(ccurses_screen(), true)
    nodelay(ccurses_screen(), true)
    set_escdelay(25)
    curs_set(0)
    hasColors = colors == .palette && has_colors()
    if hasColors {
      start_color()
      use_default_colors()
      for color in Look.Color.allCases { init_pair(color.rawValue, color.rawValue, -1) }
    }
    let hasMouse = ccurses_has_mouse() != 0
    if hasMouse { ccurses_ask_for_mouse() }
    let farewell = Self.farewell(hasMouse: hasMouse)
    cplatform_guard_terminal(farewell, farewell.count, bell.ringing)
  }

  /// What a terminal is told that nobody gives back in an orderly way.
  private static func farewell(hasMouse: Bool) -> [CChar] {
    var text: [CChar] = []
    if hasMouse { text += Array("\u{1b}[?1000l\u{1b}[?1006l".utf8CString.dropLast()) }
    for name in ["sgr0", "op", "rmkx", "cnorm", "rmcup"] {
      guard let capability = ccurses_capability(name) else { continue }
      var bytes = UnsafeBufferPointer(start: capability, count: strlen(capability))[...]
      while let byte = bytes.popFirst() {
        // Terminals that had to be waited for: `$<5>`.
        if byte == CChar(bitPattern: UInt8(ascii: "$")),
          bytes.first == CChar(bitPattern: UInt8(ascii: "<"))
        {
          while let next = bytes.popFirst(), next != CChar(bitPattern: UInt8(ascii: ">")) {}
        } else {
          text.append(byte)
        }
      }
    }
    return text
  }

  /// Gives the terminal back as it was.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    endwin()
    cplatform_release_terminal()
    delscreen(screen)
  }

  deinit { close() }

  // MARK: - Showing

  package var size: ScreenSize {
    var rows: Int32 = 0
    var columns: Int32 = 0
    guard ccurses_size(STDOUT_FILENO, &rows, &columns) == 0 else {
      return ScreenSize(rows: 24, columns: 80)
    }
    // What a terminal of a million columns would take, nobody can see.
    return ScreenSize(rows: min(Int(rows), 1000), columns: min(Int(columns), 2000))
  }

  /// Has ncurses follow the size of the terminal.
  package func resize() -> ScreenSize {
    let size = size
    resizeterm(Int32(size.rows), Int32(size.columns))
    redraw()
    return size
  }

  /// Draws everything anew with the next grid.
  package func redraw() {
    shown = nil
    ccurses_distrust()
  }

  /// Shows a grid: what differs from the one before goes to the terminal.
  package func show(_ grid: Grid) {
    guard grid != shown else { return }
    let known = shown.flatMap { $0.size == grid.size ? $0 : nil }
    for row in 0..<grid.size.rows where known?.row(row) != grid.row(row) {
      put(grid.row(row), row: Int32(row))
    }
    if let cursor = grid.cursor {
      wmove(ccurses_screen(), Int32(cursor.row), Int32(cursor.column))
      curs_set(1)
    } else {
      curs_set(0)
    }
    wrefresh(ccurses_screen())
    shown = grid
  }

  private func put(_ cells: ArraySlice<Grid.Cell>, row: Int32) {
    wmove(ccurses_screen(), row, 0)
    wattr_set(ccurses_screen(), 0, 0, nil)
    wclrtoeol(ccurses_screen())
    var rest = cells
    while let first = rest.first {
      let column = Int32(rest.startIndex - cells.startIndex)
      let run = rest.prefix { $0.look == first.look && $0.text.utf8.count == 1 }
      if run.isEmpty {
        rest.removeFirst()
        let isWide = rest.first?.text.isEmpty == true
        if isWide { rest.removeFirst() }
        putCharacter(first, columns: isWide ? 2 : 1, row: row, column: column)
      } else {
        let text = run.flatMap { $0.text.utf8.map { CChar(bitPattern: $0) } }
        ccurses_put_ascii(
          row, column, text, Int32(text.count), first.look.attributes.rawValue, pair(first.look))
        rest = rest[run.endIndex...]
      }
    }
  }

  /// A character beyond ASCII with its marks. What the C library takes to have another width, as of a
  /// version of Unicode that it does not know, would push aside what stands behind it.
  private func putCharacter(_ cell: Grid.Cell, columns: Int, row: Int32, column: Int32) {
    var scalars = Array(cell.text.unicodeScalars)
    guard let base = scalars.first else { return }
    if ccurses_width(base.value) != columns { scalars = ["\u{fffd}"] }
    let marks = scalars.dropFirst().filter { ccurses_width($0.value) == 0 }
    let text = [scalars[0]] + marks
    var wide = text.map { wchar_t(bitPattern: $0.value) } + [0]
    ccurses_put_character(
      row, column, &wide, cell.look.attributes.rawValue, pair(cell.look))
  }

  private func pair(_ look: Look) -> Int16 {
    hasColors ? look.color?.rawValue ?? 0 : 0
  }

  /// Tells the terminal something that is not shown.
  package func tell(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR else { return }
        continue
      }
      rest = rest.dropFirst(count)
    }
  }

  // MARK: - Hearing

  /// Waits until somebody does something, or rings the bell.
  ///
  /// - Returns: whether the terminal is still there.
  package func wait(atMost limit: Duration?) -> Bool {
    var requests = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = limit.map { Int32(clamping: Int64(($0 / .milliseconds(1)).rounded(.up))) }
    _ = poll(&requests, 2, milliseconds ?? -1)
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
      while read(bell, buffer.baseAddress, buffer.count) > 0 {}
    }
    let gone = Int16(POLLHUP) | Int16(POLLERR) | Int16(POLLNVAL)
    return requests[0].revents & gone == 0
  }

  package func takeSignals() -> Signals {
    Signals(rawValue: cplatform_take_terminal_signals())
  }

  /// What somebody has done; `nil` when that is all so far.
  package func nextEvent() -> BrowserEvent? {
    while true {
      var value: UInt32 = 0
      switch ccurses_read(&value) {
      case ccurses_key:
        if Int32(bitPattern: value) == KEY_MOUSE {
          if let event = mouseEvent() { return event }
        } else if let key = CursesKeys.key(Int32(bitPattern: value)) {
          return .key(key)
        }
      case ccurses_text:
        if let key = CursesKeys.typed(value) { return .key(key) }
      default: return nil
      }
    }
  }

  private func mouseEvent() -> BrowserEvent? {
    var row: Int32 = 0
    var column: Int32 = 0
    let action: MouseAction
    switch ccurses_mouse(&row, &column) {
    case ccurses_left: action = .press
    case ccurses_wheel_up: action = .wheelUp
    case ccurses_wheel_down: action = .wheelDown
    default: return nil
    }
    return .mouse(
      action, at: ScreenPoint(row: Int(row), column: Int(column)),
      milliseconds: cplatform_steady_time() / 1_000_000)
  }

  // MARK: - Leaving for a while

  /// Gives the terminal to others while `body` runs.
  package func leave(_ body: () -> Void) {
    endwin()
    body()
    comeBack()
  }

  /// Stops the process until somebody lets it go on, as a terminal's key does.
  package func stop() {
    leave { cplatform_stop_process() }
  }

  /// Takes the terminal again after somebody else had it.
  package func comeBack() {
    reset_prog_mode()
    _ = resize()
    wrefresh(ccurses_screen())
  }
}
