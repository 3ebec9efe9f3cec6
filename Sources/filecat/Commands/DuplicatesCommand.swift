import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct DuplicatesCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "duplicates", _superCommandName: FileCat.name,
    abstract: "Find files that are there more than once.",
    discussion: """
      Files of the same name and size, from the catalog alone. With --hash: files of the same \
      content, whatever their names; of files of the same size the first and the last block are read, \
      and where these are the same, everything. The hashes (BLAKE2b, as b2sum -l 256 prints them) are \
      kept in the catalog until a file changes. Hard links of a file are no duplicates.

        filecat duplicates --hash --in ~/Pictures --min-size 1M
      """)

  private static let columns: [Column] = [
    .number("group"), .number("copies"), .number("size"), .number("wasted").whereItFits,
    .number("allocated", title: "ON DISK").whereItFits, .text("hash"), .path("path"),
  ]

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Compare the content.")
  var hash = false

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Look only below this directory.", valueName: "dir"),
    completion: .directory)
  var directory: PathArgument?

  @Option(
    help: ArgumentHelp(
      "Leave out smaller files: a number of bytes, or 10k, 5M, 1G.", valueName: "n"))
  var minSize: String?

  func execute() async throws -> Outcome {
    let request = DuplicateGroup.Request(
      hash ? .content : .nameAndSize, in: directory?.path,
      minimumSize: try minSize.map { try DuplicateGroup.Request.size(parsing: $0) } ?? 1)
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let findings = try await MainThread.shared.cancellingWhenInterrupted {
      try await catalog.duplicates(request)
    }
    try print(findings)
    for failure in findings.failures { Message.print(failure) }
    if !findings.failures.isEmpty { return .incomplete }
    guard findings.groups.isEmpty else { return list.limit == 0 ? .nothing : .done }
    try await explainNothing(in: catalog)
    return .nothing
  }

  /// Says why there is nothing to print.
  private func explainNothing(in catalog: Catalog) async throws {
    if try await catalog.roots().isEmpty { return Message.print(Advice.noRoots) }
    let what = hash ? "the same content" : "the same name and size"
    let place = directory.map { " in \($0.path.string)" } ?? ""
    let least = minSize.map { " and at least \($0) bytes" } ?? ""
    Message.print("\(RawArguments.shown("no two files have \(what)\(least)\(place)"))")
  }

  private func print(_ findings: DuplicateGroup.Findings) throws {
    let format = output.format(piped: .tsv)
    // A hash says nothing to people, and is as wide as a terminal.
    let columns = Self.columns.filter { format != .table || $0.name != "hash" }
    var rows = RowList(columns)
    for (number, group) in zip(1..., findings.groups) {
      let hash = group.hash.map { Cell.text($0.hexadecimal) } ?? .null
      for member in group.members {
        let cells: [Cell] = [
          .integer(Int64(number)), .count(Int64(group.members.count)), .byteCount(group.size),
          .byteCount(group.wasted), .byteCount(member.allocated), hash,
          .text(bytes: member.path.bytes),
        ]
        rows.append(zip(cells, Self.columns).filter { columns.contains($1) }.map(\.0))
      }
    }
    _ = try rows.print(list, output)
    guard format == .table, !findings.groups.isEmpty else { return }
    let groups = CountText(findings.groups.count, "group", "groups")
    let wasted = ByteCountText(findings.wasted, style: output.bytes ? .exact : .human)
    Message.print("\(groups); \(wasted) free when one file of each stays")
  }
}
