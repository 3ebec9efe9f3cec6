internal import CCurses

/// What the numbers of ncurses mean.
enum CursesKeys {
  /// A key with a number of its own.
  static func key(_ code: Int32) -> Key? {
    switch code {
    case KEY_UP: .up
    case KEY_DOWN: .down
    case KEY_LEFT: .left
    case KEY_RIGHT: .right
    case KEY_PPAGE: .pageUp
    case KEY_NPAGE: .pageDown
    case KEY_HOME: .home
    case KEY_END: .end
    case KEY_ENTER: .enter
    case KEY_BACKSPACE: .backspace
    case KEY_DC: .delete
    default: nil
    }
  }

  /// A character, or a key that is one to terminals.
  static func typed(_ value: UInt32) -> Key? {
    switch value {
    case 0x0D, 0x0A: .enter
    case 0x09: .tab
    case 0x1B: .escape
    case 0x08, 0x7F: .backspace
    case 0x01...0x1A: Unicode.Scalar(value + 0x60).map { .control(Character($0)) }
    case 0..<0x20, 0x80..<0xA0: nil
    default: Unicode.Scalar(value).map { .character($0) }
    }
  }
}
