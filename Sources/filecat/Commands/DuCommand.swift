import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct DuCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "du", _superCommandName: FileCat.name,
    abstract: "Show the totals of directories, as the catalog has them.",
    discussion: """
      total_size is the bytes of the files, total_allocated what they take on disk, counted as du \
      counts: with the blocks of the directories, and a file with several names once. Without DIR: \
      the current directory, or all roots when it is in none.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    name: [.customShort("d"), .long],
    help: ArgumentHelp("How many levels below DIR to show.", valueName: "n"))
  var depth = 1

  @Flag(name: .shortAndLong, help: "Show DIR alone, as --depth 0 does.")
  var summarize = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Sort keys, each descending with a leading -: \(DuOrder.Key.list).", valueName: "key,…"),
    completion: .sortKeys(DuOrder.Key.allCases.map(\.rawValue)))
  var sort = "-total_allocated"

  @Argument(help: "The directory.", completion: .directory)
  var dir: PathArgument?

  func validate() throws {
    if depth < 0 { throw ValidationError("--depth takes a number from 0 on") }
    _ = try DuOrder(parsing: sort)
  }

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var directory = dir?.path
    if directory == nil, try await catalog.entry(at: ".") != nil { directory = "." }
    var totals = try await catalog.totals(below: directory, depth: summarize ? 0 : depth)
    try DuOrder(parsing: sort).sort(&totals)
    let format = output.format(piped: .tsv)
    let columns = DuColumns(isComplete: format == .json || format == .ndjson)
    var printer = output.printer(columns.columns, piped: .tsv)
    for total in totals { try printer.print(columns.cells(total)) }
    try printer.finish()
    return totals.isEmpty ? .nothing : .done
  }
}

/// The columns of `du`: a few for people, all of the view `directories` for programs.
private struct DuColumns {
  let isComplete: Bool

  var columns: [Column] {
    let totals: [Column] = [
      .number("total_allocated", title: "ON DISK"), .number("total_size", title: "SIZE"),
      .number("total_files", title: "FILES"), .number("total_directories", title: "DIRECTORIES"),
    ]
    guard isComplete else { return totals + [.text("state"), .path("path")] }
    return [.number("id"), .path("path"), .number("depth")] + totals + [
      .number("files"), .number("directories"), .number("size"), .number("allocated"),
      Column("newest_modified"), .text("state"), .text("error"),
    ]
  }

  func cells(_ total: DirectoryTotals) -> [Cell] {
    let path = Cell.text(bytes: total.path.bytes)
    let totals: [Cell] = [
      .byteCount(total.totalAllocated), .byteCount(total.totalSize),
      .count(Int64(total.totalFiles)), .count(Int64(total.totalDirectories)),
    ]
    guard isComplete else { return totals + [.text(total.state.rawValue), path] }
    return [.integer(total.id.rawValue), path, .integer(Int64(total.depth))] + totals + [
      .count(Int64(total.files)), .count(Int64(total.directories)), .byteCount(total.size),
      .byteCount(total.allocated), total.newestModified.map { .integer($0) } ?? .null,
      .text(total.state.rawValue), total.error.map { .text($0) } ?? .null,
    ]
  }
}

/// The order of the rows of `du`.
struct DuOrder {
  enum Key: String, CaseIterable {
    case path, depth, files, directories, size, allocated
    case totalFiles = "total_files"
    case totalDirectories = "total_directories"
    case totalSize = "total_size"
    case totalAllocated = "total_allocated"

    static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
  }

  private let terms: [(key: Key, isDescending: Bool)]

  init(parsing text: String) throws {
    terms = try text.split(separator: ",", omittingEmptySubsequences: false).map { item in
      let isDescending = item.first == "-"
      let name = String(isDescending ? item.dropFirst() : item)
      guard let key = Key(rawValue: name) else {
        let hint =
          Spelling.nearest(to: name, in: Key.allCases.map(\.rawValue)).map {
            "did you mean “\($0)”?"
          } ?? "known: \(Key.list)"
        throw ValidationError("there is no sort key “\(name)” for directories; \(hint)")
      }
      return (key, isDescending)
    }
  }

  func sort(_ totals: inout [DirectoryTotals]) {
    totals.sort { a, b in
      for (key, isDescending) in terms {
        let (x, y) = (key.value(a), key.value(b))
        if key == .path, a.path != b.path {
          return isDescending != a.path.bytes.lexicographicallyPrecedes(b.path.bytes)
        }
        if x != y { return isDescending ? x > y : x < y }
      }
      return a.path.bytes.lexicographicallyPrecedes(b.path.bytes)
    }
  }
}

extension DuOrder.Key {
  fileprivate func value(_ total: DirectoryTotals) -> Int64 {
    switch self {
    case .path: 0
    case .depth: Int64(total.depth)
    case .files: Int64(total.files)
    case .directories: Int64(total.directories)
    case .size: total.size
    case .allocated: total.allocated
    case .totalFiles: Int64(total.totalFiles)
    case .totalDirectories: Int64(total.totalDirectories)
    case .totalSize: total.totalSize
    case .totalAllocated: total.totalAllocated
    }
  }
}
