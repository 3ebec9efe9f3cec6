package import FileCatalog
package import SystemPackage

/// What tables are sorted by.
package enum SortKey: String, Hashable, Sendable, CaseIterable {
  case size, name, files, modified, type

  /// Which end people want first.
  var usual: SortOrder.Direction {
    switch self {
    case .size, .files, .modified: .descending
    case .name, .type: .ascending
    }
  }
}

/// Which number of bytes is shown.
package enum SizeKind: Hashable, Sendable {
  /// What it takes on the disk.
  case onDisk
  /// The length of the content.
  case apparent

  /// This number of an entry.
  func bytes(of row: BrowserRow) -> Int64 { self == .onDisk ? row.allocated : row.size }

  /// This number of all.
  func bytes(of whole: Listing.Whole) -> Int64 { self == .onDisk ? whole.allocated : whole.size }

  /// This number of several entries in words.
  func words(for rows: some Sequence<BrowserRow>) -> String {
    words(rows.reduce(0) { $0 + bytes(of: $1) })
  }

  func words(_ bytes: Int64) -> String {
    self == .onDisk ? "\(Words.bytes(bytes)) on disk" : Words.bytes(bytes)
  }
}

/// Which table is shown.
package struct TableQuestion: Hashable, Sendable {
  /// What its rows are.
  package enum Scope: Hashable, Sendable {
    case roots
    case children(of: FilePath)
    /// What matches a query, in the whole catalog or below a directory.
    case matches(Query, below: FilePath?)
  }

  package var scope: Scope
  package var key = SortKey.size
  package var direction = SortOrder.Direction.descending
  package var directories = SortOrder.Directories.mixed
  package var sizes = SizeKind.onDisk
  package var showsHidden = true

  package init(_ scope: Scope) {
    self.scope = scope
  }

  /// The same as the library is asked for it.
  package var request: TableRequest {
    let term: SortOrder.Term =
      switch key {
      case .size: SortOrder.Term(sizes == .onDisk ? .fullAllocated : .fullSize, direction)
      case .name: SortOrder.Term(.name, direction)
      case .files: SortOrder.Term(.totalFiles, direction)
      case .modified: SortOrder.Term(.modified, direction)
      case .type: SortOrder.Term(.type, direction)
      }
    var query = Query()
    var place = TableRequest.Scope.everything
    switch scope {
    case .roots: query = Query(.depth(.exactly(0)))
    case .children(let path): place = .children(of: path)
    case .matches(let found, let below):
      query = found
      if let below { place = .subtree(of: below) }
    }
    // A root is shown, however it is called.
    if !showsHidden, scope != .roots {
      query.filter = query.filter && !.flag(.hidden)
    }
    return TableRequest(
      query, in: place, order: SortOrder([term], directories: directories))
  }
}
