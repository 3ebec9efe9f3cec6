extension DisplayText {
  /// The text cut down to a number of columns, with `…` in place of what is left out.
  ///
  /// The result is never wider than `limit`, but may be narrower by one column where a wide
  /// character did not fit. Characters are kept or left out as a whole.
  ///
  /// - Complexity: O(n) in the length of the text.
  public func shortened(to limit: Int, _ shortening: Column.Shortening) -> DisplayText {
    guard width > limit else { return self }
    guard limit > 0 else { return DisplayText(ascii: []) }
    let pieces = Pieces(self)
    let room = limit - 1
    let tailRoom: Int
    switch shortening {
    case .never, .atEnd: tailRoom = 0
    case .inMiddle: tailRoom = Self.tailRoom(of: pieces, in: room)
    }
    let tail = pieces.suffix(tailRoom)
    let head = pieces.prefix(room - tail.width)
    return DisplayText(
      verified: Array(bytes[..<head.end]) + Self.ellipsis + bytes[tail.start...],
      width: head.width + 1 + tail.width)
  }

  /// `…`, which takes one column.
  private static let ellipsis = Array("…".utf8)

  /// How much of the room the end of the text gets when the middle is left out.
  ///
  /// Half of it; but the last component of a path says most, so it stays whole if it fits.
  private static func tailRoom(of pieces: Pieces, in room: Int) -> Int {
    let half = room / 2
    guard let component = pieces.widthOfLastComponent, component <= room else { return half }
    return max(half, component)
  }
}

/// The characters of a text: where each begins, and how wide it is.
private struct Pieces {
  private var starts: [Int] = []
  private var widths: [Int] = []
  private let text: DisplayText

  init(_ text: DisplayText) {
    self.text = text
    starts.reserveCapacity(text.bytes.count)
    widths.reserveCapacity(text.bytes.count)
    var offset = 0
    for character in text.string {
      starts.append(offset)
      widths.append(DisplayWidth.of(character))
      offset += character.utf8.count
    }
  }

  /// The longest beginning that fits: the byte after it, and its width.
  func prefix(_ room: Int) -> (end: Int, width: Int) {
    var width = 0
    for index in widths.indices {
      guard width + widths[index] <= room else { return (starts[index], width) }
      width += widths[index]
    }
    return (text.bytes.count, width)
  }

  /// The longest end that fits: its first byte, and its width.
  func suffix(_ room: Int) -> (start: Int, width: Int) {
    var width = 0
    var start = text.bytes.count
    for index in widths.indices.reversed() {
      guard width + widths[index] <= room else { break }
      // A mark of no width would join the ellipsis; it only comes along with its base.
      width += widths[index]
      if widths[index] > 0 { start = starts[index] }
    }
    return (start, width)
  }

  /// The columns from the last slash on, or `nil` when there is none or nothing follows it.
  var widthOfLastComponent: Int? {
    var width = 0
    for index in widths.indices.reversed() {
      width += widths[index]
      if text.bytes[starts[index]] == UInt8(ascii: "/") { return width > 1 ? width : nil }
    }
    return nil
  }
}
