internal import Console
internal import FileCatalog
internal import SystemPackage

/// A column before the names.
struct ScreenColumn {
  enum Content {
    case size
    case bar
    case share
    case change
    case files
    case age
    case date
    case owner
    case type
  }

  enum Alignment {
    case leading
    case trailing
  }

  let content: Content
  let heading: String
  let width: Int
  var alignment = Alignment.trailing
  /// What rows are sorted by where the column says so.
  var key: SortKey?

  /// Names keep so many columns.
  private static let leastName = 16

  /// The columns that a table of a width has room for, beside names.
  static func fitting(_ state: BrowserState, width: Int) -> [ScreenColumn] {
    let choice = state.columns
    let barWidth = width >= 200 ? 30 : width >= 110 ? 20 : 10
    var columns = [
      ScreenColumn(
        content: .size, heading: state.question.sizes == .onDisk ? "DISK" : "SIZE", width: 7,
        key: .size)
    ]
    if choice.bars {
      columns.append(
        ScreenColumn(content: .bar, heading: "", width: barWidth, alignment: .leading))
      columns.append(ScreenColumn(content: .share, heading: "%", width: 5))
    }
    if state.since?.isChosen == true, state.search?.isShown != true {
      columns.append(ScreenColumn(content: .change, heading: "CHANGED", width: 14))
    }
    if choice.files {
      columns.append(ScreenColumn(content: .files, heading: "FILES", width: 9, key: .files))
    }
    switch choice.dates {
    case .age:
      columns.append(ScreenColumn(content: .age, heading: "AGE", width: 5, key: .modified))
    case .date:
      columns.append(ScreenColumn(content: .date, heading: "MODIFIED", width: 16, key: .modified))
    case .none: break
    }
    if choice.owners {
      columns.append(
        ScreenColumn(content: .owner, heading: "OWNER", width: 10, alignment: .leading))
    }
    if choice.types {
      columns.append(
        ScreenColumn(
          content: .type, heading: "TYPE", width: width >= 110 ? 28 : 18, alignment: .leading,
          key: .type))
    }
    // The last that were chosen go first where there is no room for all; sizes stay.
    while columns.count > 1, columns.reduce(3, { $0 + $1.width + 1 }) + leastName > width {
      columns.remove(at: columns.firstIndex { $0.content == .bar } ?? columns.count - 1)
    }
    return columns
  }

  /// What the column shows of an entry.
  func cell(of entry: BrowserRow, _ state: BrowserState) -> (text: String, look: Look) {
    switch content {
    case .size: return (Words.bytes(state.question.sizes.bytes(of: entry)), .plain)
    case .bar: return (BarText(share(of: entry, state), width: width).string, Look(.green))
    case .share: return (Self.percent(share(of: entry, state)), .plain)
    case .change:
      guard let summary = state.since?.summaries[entry.path], entry.isDirectory else {
        return ("", .plain)
      }
      return (Self.counts(summary), Look(.cyan))
    case .files: return (entry.files.map { CountText($0).description } ?? "", .plain)
    case .age:
      return (entry.modified.map { Words.age(of: $0, at: state.now) } ?? "", .plain)
    case .date:
      return (entry.modified.map { DateText(nanoseconds: $0).description } ?? "", .plain)
    case .owner: return (entry.owner, .plain)
    case .type: return (entry.type, .plain)
    }
  }

  private func share(of entry: BrowserRow, _ state: BrowserState) -> Double {
    let whole = state.question.sizes.bytes(of: state.listing.whole)
    return whole > 0 ? Double(state.question.sizes.bytes(of: entry)) / Double(whole) : 0
  }

  /// A part with one decimal: `12.3`, and `100`.
  private static func percent(_ part: Double) -> String {
    let tenths = Int((min(max(part, 0), 1) * 1000).rounded())
    return tenths >= 1000 ? "100" : "\(tenths / 10).\(tenths % 10)"
  }

  private static func counts(_ summary: ChangeSummary) -> String {
    let parts = [
      (summary.added, "+"), (summary.removed, "-"), (summary.modified, "~"), (summary.moved, ">"),
    ]
    return parts.filter { $0.0 > 0 }.map { "\($0.1)\($0.0)" }.joined(separator: " ")
  }
}
