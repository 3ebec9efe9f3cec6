import ArgumentParser
import Console
import FileCatalog
import Synchronization
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
      of the root and the time of the comparison. With --content it reads every file again that was hashed \
      (scan --values hash), and prints those whose content is another while their sizes and times are the \
      same. Exit status 0: sound, and no difference \
      found; 1: it differs from the disk; 3: some of the disk could not be read; 4: the catalog is \
      damaged.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Make up for what is wrong, as far as the catalog itself and the next scan can.")
  var repair = false

  @Flag(help: "Compare with the disk as well.")
  var verify = false

  @Flag(help: "Compare the content of files with their hashes as well.")
  var content = false

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let soundness = try await checkSoundness(of: catalog)
    for root in try await catalog.roots() where root.lastScanState == .quick {
      Message.print(Advice.line(forQuickScanOf: root.path))
    }
    guard soundness == .done else { return soundness }
    let outcomes = [
      verify ? try await compareWithDisk(catalog) : .done,
      content ? try await compareContent(of: catalog) : .done,
    ]
    return outcomes.first { $0 == .incomplete } ?? outcomes.first { $0 == .nothing } ?? .done
  }

  private func compareContent(of catalog: Catalog) async throws -> Outcome {
    let printer = Mutex(
      output.printer(
        [.path("path"), .number("entry_id"), .text("stored_sha256"), .text("sha256")],
        piped: .ndjson))
    let count = Atomic(0)
    let result = try await MainThread.shared.cancellingWhenInterrupted {
      try await catalog.verifyContent { difference in
        count.add(1, ordering: .relaxed)
        try printer.withLock {
          try $0.print([
            .text(bytes: difference.path.bytes), .integer(difference.entryID.rawValue),
            .text(difference.storedHash), .text(difference.foundHash),
          ])
        }
      }
    }
    try printer.withLock { try $0.finish() }
    for failure in result.failures { Message.print(failure) }
    if result.files == 0, result.failures.isEmpty {
      Message.print("no file has a hash to be compared with: filecat scan --values hash makes them")
    }
    if !result.failures.isEmpty { return .incomplete }
    return count.load(ordering: .relaxed) == 0 ? .done : .nothing
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
    if problems.isEmpty && repairs.isEmpty && (verify || content) { return .done }
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
