import Console
import FileCatalog
import FileSystem
import SystemPackage

/// Directories as a tree, each with what it takes and a bar that compares it with the whole.
struct DuTree {
  private static let barWidth = 12

  /// A row and the numbers of those below it.
  private struct Node {
    let row: DuRow
    var parent: Int?
    var children: [Int] = []
  }

  private var nodes: [Node] = []
  private var tops: [Int] = []

  /// Puts rows that are in order below the directories that they are in.
  ///
  /// - Parameters:
  ///   - groups: rows, of which those of one group may be in each other.
  ///   - limit: at most so many rows: the first ones, with all that they are in.
  init(_ groups: [[DuRow]], limit: Int?) {
    for group in groups {
      let start = nodes.count
      nodes += group.map { Node(row: $0) }
      var places: [FilePath: Int] = [:]
      for (place, row) in zip(start..., group) { places[row.path] = place }
      for (place, row) in zip(start..., group) {
        let parent = row.path.removingLastComponent()
        if let above = places[parent], above != place { nodes[place].parent = above }
      }
    }
    let shown = limit.map { Set(first($0)) }
    for place in nodes.indices where shown?.contains(place) ?? true {
      if let parent = nodes[place].parent {
        nodes[parent].children.append(place)
      } else {
        tops.append(place)
      }
    }
  }

  /// The first rows, where a directory comes before all that is in it.
  private func first(_ limit: Int) -> [Int] {
    // The place of a row is its rank, and a row comes no earlier than the one it is in.
    let ranked = nodes.indices.map { place in
      var (rank, depth) = (place, 0)
      var above = nodes[place].parent
      while let parent = above {
        rank = max(rank, parent)
        depth += 1
        above = nodes[parent].parent
      }
      return (rank: rank, depth: depth, place: place)
    }
    return ranked.sorted { ($0.rank, $0.depth, $0.place) < ($1.rank, $1.depth, $1.place) }
      .prefix(limit).map(\.place)
  }

  /// Prints a line a row.
  func print(_ output: OutputOptions) throws {
    let isIncomplete = nodes.contains { $0.row.state.map { $0 != .complete } ?? false }
    let bar = BarText.column(on: StandardStream.output.terminal)
    var columns: [Column] = [.number("total_allocated", title: "ON DISK")]
    if let bar { columns.append(bar) }
    columns += [
      .number("share", title: "%").whereItFits,
      .number("total_size", title: "SIZE").whereItFits,
      .number("total_files", title: "FILES").whereItFits,
    ]
    if isIncomplete { columns.append(.text("state").whereItFits) }
    columns.append(.path("path"))
    var printer = output.printer(columns, piped: .tsv)
    for top in tops {
      // A tree may be as deep as a path is long: a stack of its own, not the one of calls.
      var stack = [(place: top, lead: "", isLast: true)]
      while let (place, lead, isLast) = stack.popLast() {
        let isTop = place == top
        let row = nodes[place].row
        let part = Double(row.allocated) / Double(max(nodes[top].row.allocated, 1))
        var cells: [Cell] = [.byteCount(row.allocated)]
        if bar != nil { cells.append(.text(BarText(part, width: Self.barWidth).string)) }
        cells += [
          .integer(Int64((min(max(part, 0), 1) * 100).rounded())), .byteCount(row.size),
          .count(row.files),
        ]
        if isIncomplete { cells.append(row.state.map { .text($0.rawValue) } ?? .null) }
        let name = isTop ? row.path.bytes : row.path.lastComponent?.bytes ?? []
        cells.append(
          .text(bytes: Array((isTop ? "" : lead + (isLast ? "└── " : "├── ")).utf8) + name))
        try printer.print(cells)
        let below = isTop ? "" : lead + (isLast ? "    " : "│   ")
        let children = nodes[place].children
        for (position, child) in children.enumerated().reversed() {
          stack.append((child, below, position == children.count - 1))
        }
      }
    }
    try printer.finish()
  }
}

/// A row of `du`: the totals of a directory, or what a file takes.
struct DuRow {
  let path: FilePath
  let allocated: Int64
  let size: Int64
  let files: Int64
  let state: DirectoryTotals.State?
  /// All that there is for programs: see ``columns``.
  let cells: [Cell]

  init(_ total: DirectoryTotals) {
    path = total.path
    allocated = total.totalAllocated
    size = total.totalSize
    files = Int64(total.totalFiles)
    state = total.state
    cells = [
      .integer(total.id.rawValue), .text(bytes: total.path.bytes), .integer(Int64(total.depth)),
      .byteCount(total.totalAllocated), .byteCount(total.totalSize),
      .count(Int64(total.totalFiles)), .count(Int64(total.totalDirectories)),
      .count(Int64(total.files)), .count(Int64(total.directories)), .byteCount(total.size),
      .byteCount(total.allocated),
      total.newestModified.map { Cell(.integer($0), .seconds) } ?? .null,
      .text(total.state.rawValue), total.error.map { .text($0) } ?? .null,
    ]
  }

  init(_ entry: Entry) {
    path = entry.path
    allocated = entry.allocated ?? 0
    size = entry.size ?? 0
    files = 1
    state = nil
    cells = [
      .integer(entry.id.rawValue), .text(bytes: entry.path.bytes), .integer(Int64(entry.depth)),
      .byteCount(allocated), .byteCount(size), .count(1), .count(0), .null, .null, .null, .null,
      entry.modified.map { .timestamp(nanoseconds: $0) } ?? .null, .null, .null,
    ]
  }

  static let columns: [Column] = [
    .number("id"), .path("path"), .number("depth"), .number("total_allocated", title: "ON DISK"),
    .number("total_size", title: "SIZE"), .number("total_files", title: "FILES"),
    .number("total_directories", title: "DIRECTORIES"), .number("files"), .number("directories"),
    .number("size"), .number("allocated"), Column("newest_modified"), .text("state"),
    .text("error"),
  ]

  private static let brief = [
    "total_allocated", "total_size", "total_files", "total_directories", "state", "path",
  ]

  static let briefColumns = brief.compactMap { name in columns.first { $0.name == name } }

  static let sortKeys = columns.map(\.name).filter { !["id", "error"].contains($0) }

  var briefCells: [Cell] {
    Self.brief.compactMap { name in
      Self.columns.firstIndex { $0.name == name }.map { cells[$0] }
    }
  }
}
