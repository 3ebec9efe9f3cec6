import ArgumentParser
import Console
import FileCatalog
import SystemPackage

struct CheckCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "check", _superCommandName: FileCat.name,
    abstract: "Prove that the catalog is whole.",
    discussion: """
      Checks the file, the references between rows, the paths and the sums. With --repair it makes up \
      for what it finds, prints what it has done and checks once more: indexes and sums are made anew, a \
      root inside another one is dropped, and so are the entries of a root with wrong rows, for the next \
      scan to make them anew. What is sound is not changed. With --verify it also compares every root \
      with the disk and prints what differs, changing nothing: as “filecat changes” does, with the last scan \
      of the root and the time of the comparison. Exit status 0: sound, and no difference \
      found; 1: it differs from the disk; 3: some of the disk could not be read; 4: the catalog is \
      damaged.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Make up for what is wrong, as far as the catalog itself and the next scan can.")
  var repair = false

  @Flag(help: "Compare with the disk as well.")
  var verify = false

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let soundness = try await checkSoundness(of: catalog)
    for root in try await catalog.roots() where root.lastScanState == .quick {
      Message.print(Advice.line(forQuickScanOf: root.path))
    }
    return soundness == .done && verify ? try await compareWithDisk(catalog) : soundness
  }

  private func compareWithDisk(_ catalog: Catalog) async throws -> Outcome {
    let changes = ChangePrinter(output)
    let failures = try await MainThread.shared.cancellingWhenInterrupted {
      try await catalog.verify { try changes.print($0) }
    }
    try changes.finish()
    for failure in failures { Message.print(failure) }
    if !failures.isEmpty { return .incomplete }
    return changes.count == 0 ? .done : .nothing
  }

  private func checkSoundness(of catalog: Catalog) async throws -> Outcome {
    let repairs = repair ? try await catalog.repair() : []
    let problems = try await catalog.check()
    var columns: [Column] = [
      .text("rule"), Column("problem", alignment: .leading, shortening: .atEnd),
    ]
    if repair { columns.append(Column("repair", alignment: .leading, shortening: .atEnd)) }
    var printer = output.printer(columns, piped: .tsv)
    for repair in repairs {
      let problem = repair.problem
      try printer.print(
        [.text(problem.rule.rawValue), .text(problem.description), .text(repair.action)])
    }
    for problem in problems {
      let cells: [Cell] = [.text(problem.rule.rawValue), .text(problem.description)]
      try printer.print(repair ? cells + [.null] : cells)
    }
    if problems.isEmpty && repairs.isEmpty && verify { return .done }
    if problems.isEmpty, repairs.isEmpty, output.format == nil {
      try StandardStream.output.print("\(catalog.path.string) is sound")
      return .done
    }
    try printer.finish()
    if !problems.isEmpty {
      Message.print("\(Advice.line(forDamageOf: catalog, repair ? .tried : .open))")
    }
    return problems.isEmpty ? .done : .failed
  }
}
