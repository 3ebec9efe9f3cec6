package import FileCatalog
package import SystemPackage

/// All that a browser shows: events make another of it, and it is drawn, without a terminal or a catalog.
package struct BrowserState: Sendable {
  /// Whether anything on the disk or in the catalog may be changed.
  package enum Access: Hashable, Sendable {
    case acting
    case readOnly
  }

  package let access: Access
  package internal(set) var size: ScreenSize
  /// The directory that is shown; `nil` for all roots.
  package internal(set) var home: FilePath?
  package internal(set) var question: TableQuestion
  package internal(set) var listing = Listing()
  package internal(set) var columns = ColumnChoice()
  package internal(set) var search: SearchField?
  package internal(set) var details: Details?
  package internal(set) var dialog: Dialog?
  package internal(set) var marks: [EntryID: BrowserRow] = [:]
  package internal(set) var message: Message?
  /// How far a scan is.
  package internal(set) var scanning: String?
  package internal(set) var since: ChangesSince?
  /// From when ages count, in seconds since 1970.
  package var now: Int64
  /// The last press of the mouse, to know a double click by.
  var lastPress: (point: ScreenPoint, milliseconds: Int64)?

  package init(
    _ home: FilePath?, size: ScreenSize, access: Access = .acting, now: Int64,
    key: SortKey = .size, sizes: SizeKind = .onDisk
  ) {
    self.home = home
    self.size = size
    self.access = access
    self.now = now
    question = TableQuestion(home.map { .children(of: $0) } ?? .roots)
    question.key = key
    question.direction = key.usual
    question.sizes = sizes
  }

  package var layout: Layout { Layout(size, hasDetails: details != nil) }

  /// The directory in which shells are opened and which is scanned again.
  package var here: FilePath? {
    if search?.isShown == true { return listing.chosen?.path.removingLastComponent() }
    return home
  }

  /// What happens first.
  package mutating func begin() -> [BrowserEffect] { show() }
}

extension BrowserState {
  /// Which columns are shown beside sizes and names.
  package struct ColumnChoice: Hashable, Sendable {
    package enum Dates: Hashable, Sendable {
      case none, age, date
    }

    package var bars = true
    package var files = true
    package var dates = Dates.age
    package var types = false
    package var owners = false
  }

  /// A search, and the text of it.
  package struct SearchField: Hashable, Sendable {
    package var text = ""
    /// Whether keys go into the text.
    package var isTyping = true
    /// Whether only what is in the directory is looked for.
    package var isHere = false
    /// The last query that could be understood.
    package var query: Query?
    /// Why the text is none.
    package var fault: String?

    /// Whether what was found is shown, rather than the directory.
    package var isShown: Bool { query != nil }
  }

  /// The details of the entry that is chosen.
  package struct Details: Hashable, Sendable {
    package var path: FilePath?
    package var lines: [DetailLine] = []
  }

  /// Something that has to be answered, or left, before anything else.
  package enum Dialog: Hashable, Sendable {
    case help(top: Int)
    /// Whether these are to go to the trash.
    case trash([BrowserRow])
    case scans([ScanLine], selected: Int)
  }

  /// What changes are shown of.
  package struct ChangesSince: Hashable, Sendable {
    /// All after this scan.
    package var scan: Int64
    /// Whether somebody has chosen it; else it is the last one before the browser was opened.
    package var isChosen = false
    /// What has changed in directories of the table, by path.
    package var summaries: [FilePath: ChangeSummary] = [:]
  }
}

/// What has happened to a row since a scan.
package enum RowChange: Hashable, Sendable {
  case added
  case modified
  /// Something in it has changed.
  case inside
}

extension BrowserState {
  /// What has happened to a row since the scan that changes are shown since.
  package func change(of row: BrowserRow) -> RowChange? {
    guard let since else { return nil }
    if row.firstSeen > since.scan { return .added }
    if row.isDirectory, since.summaries[row.path] != nil { return .inside }
    return row.lastChanged > since.scan ? .modified : nil
  }
}
