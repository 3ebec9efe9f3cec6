/// Something that somebody has pressed.
package enum Key: Hashable, Sendable {
  case character(Unicode.Scalar)
  /// A letter with the control key.
  case control(Character)
  case up, down, left, right
  case pageUp, pageDown, home, end
  case enter, escape, tab, backspace, delete
}

/// What is done with a mouse.
package enum MouseAction: Hashable, Sendable {
  /// The left button is pressed; twice within a moment at one place opens what is there.
  case press
  case wheelUp, wheelDown
}

extension Key {
  /// What the key is called on screens.
  package var name: String {
    switch self {
    case .character(" "): "space"
    case .character(let scalar): String(scalar)
    case .control(let letter): "^\(letter.uppercased())"
    case .up: "↑"
    case .down: "↓"
    case .left: "←"
    case .right: "→"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .home: "Home"
    case .end: "End"
    case .enter: "Enter"
    case .escape: "Esc"
    case .tab: "Tab"
    case .backspace: "Backspace"
    case .delete: "Del"
    }
  }
}
