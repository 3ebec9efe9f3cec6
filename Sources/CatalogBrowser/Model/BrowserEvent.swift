package import Console
package import FileCatalog
package import SystemPackage

/// What happens to a browser: what somebody does, and what is answered to its effects.
package enum BrowserEvent: Sendable {
  case key(Key)
  /// - Parameter milliseconds: of a clock that only goes forward.
  case mouse(MouseAction, at: ScreenPoint, milliseconds: Int64)
  case resized(ScreenSize)
  /// A table is there.
  case opened(OpenedTable)
  /// The first rows of a table that is not there yet, in any order.
  case glimpsed([BrowserRow], generation: Int)
  /// A table is another than it was, since somebody has written to the catalog.
  case changed(ChangedTable)
  case read([BrowserRow], from: Int, generation: Int)
  case described([DetailLine], of: FilePath)
  case scans([ScanLine])
  case summarized([ChangeSummary], generation: Int)
  /// How far a scan is; `nil` when it has ended.
  case scanning(DisplayText?)
  case trashed([Deletion.Result])
  case said(Message)
  /// A question about a table, or about rows of it, could not be answered.
  case failed(Message, generation: Int)
}

/// A table, as far as the screen needs to know it.
package struct OpenedTable: Sendable {
  package var generation: Int
  /// The directory that is shown in place of one that is gone.
  package var scope: TableQuestion.Scope
  package var count: Int
  /// The row of the entry that was to be chosen.
  package var selected: Int?
  package var whole: Listing.Whole
  /// The last scan that has been written.
  package var lastScan: Int64
  package var place: @Sendable (EntryID) -> Int?

  package init(
    generation: Int, scope: TableQuestion.Scope, count: Int, selected: Int? = nil,
    whole: Listing.Whole, lastScan: Int64 = 0,
    place: @escaping @Sendable (EntryID) -> Int? = { _ in nil }
  ) {
    self.generation = generation
    self.scope = scope
    self.count = count
    self.selected = selected
    self.whole = whole
    self.lastScan = lastScan
    self.place = place
  }
}

/// A table after a scan.
package struct ChangedTable: Sendable {
  package var generation: Int
  package var count: Int
  package var whole: Listing.Whole
  package var place: @Sendable (EntryID) -> Int?

  package init(
    generation: Int, count: Int, whole: Listing.Whole,
    place: @escaping @Sendable (EntryID) -> Int? = { _ in nil }
  ) {
    self.generation = generation
    self.count = count
    self.whole = whole
    self.place = place
  }
}

/// A value of an entry, for people.
package struct DetailLine: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A scan that changes can be shown since.
package struct ScanLine: Hashable, Sendable {
  package var id: Int64
  /// In seconds since 1970.
  package var finished: Int64?
  package var root: String
  package var added: Int64
  package var removed: Int64
  package var modified: Int64
  package var moved: Int64

  package init(
    id: Int64, finished: Int64?, root: String, added: Int64, removed: Int64, modified: Int64,
    moved: Int64
  ) {
    self.id = id
    self.finished = finished
    self.root = root
    self.added = added
    self.removed = removed
    self.modified = modified
    self.moved = moved
  }
}

/// Words for whoever looks at the screen.
package struct Message: Hashable, Sendable {
  package enum Tone: Hashable, Sendable {
    case fact
    case fault
  }

  package var text: String
  package var tone: Tone

  package init(_ text: String, _ tone: Tone = .fact) {
    self.text = text
    self.tone = tone
  }
}

/// What a browser wants to have done. Answers come as events.
package enum BrowserEffect: Hashable, Sendable {
  /// A table is to be shown in place of the one before.
  case show(TableQuestion, selecting: FilePath?, generation: Int)
  case read(Range<Int>, generation: Int)
  case describe(FilePath)
  case listScans
  /// What has changed in the directories of a table.
  case summarize(since: Int64, below: FilePath?, generation: Int)
  case trash([FilePath])
  case openInProgram(FilePath)
  case runShell(in: FilePath)
  case copy([UInt8])
  case rescan(FilePath)
  case stopRescan
  case redraw
  case quit
}
