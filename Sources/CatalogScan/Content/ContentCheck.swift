package import CatalogStore
internal import FileSystem
package import SQLite
package import SystemPackage

/// Reads files once more that have a hash, and tells which have another by now although their sizes and times
/// are the same: something has changed them without a trace.
package struct ContentCheck {
  private static let chunk = 256

  /// A file whose content is another than its size and times say.
  package struct Difference {
    package let entry: Int64
    package let path: FilePath
    /// The hash that the catalog has.
    package let stored: String
    /// The one of now.
    package let found: String
  }

  private let db: Connection
  private let reader: FileReader
  private let control: ScanControl

  package init(
    in db: Connection, host: ContentHost, jobs: ScanRequest.Jobs, control: ScanControl
  ) {
    self.db = db
    self.control = control
    reader = FileReader([FileHash()], in: host, threads: jobs.readers, control)
  }

  /// Compares all files of a root that have a hash and are, by their values, what they were when it was made.
  ///
  /// - Returns: how many were compared, and what could not be read, with whole paths.
  package func run(
    _ root: RootRecord, report: (Difference) throws -> Void
  ) throws -> (files: Int, failures: [(path: FilePath, reason: String, errno: Errno?)]) {
    let opened: OpenRoot
    do throws(Errno) {
      opened = try OpenRoot(root.location.path)
    } catch {
      return (0, [(root.location.path, error.description, error)])
    }
    var files = 0
    var failures: [(FilePath, String, Errno?)] = []
    var questions: [FileReader.Question] = []
    func compare() throws {
      let answers = reader.read(questions, in: opened)
      questions = []
      if control.isCancelled { throw CancellationError() }
      for answer in answers where !answer.isChanged {
        switch answer.outcomes.first?.outcome {
        case .success(let values):
          files += 1
          guard case .text(let found) = values[FileHash.valueKey],
            let stored = try stored(of: answer.file.id), stored != found
          else { continue }
          try report(
            Difference(
              entry: answer.file.id, path: answer.file.path, stored: stored, found: found))
        case .failure(let failure):
          failures.append((answer.file.path, failure.description, failure.errno))
        case nil: break
        }
      }
    }
    guard
      let provider = try db.integer(
        "SELECT id FROM _content_providers WHERE key = ?", [FileHash().key])
    else { return (0, []) }
    try ContentTable(db).forEachFile(of: root.id, changedSince: nil, from: 0) { file, _ in
      let hasHash = file.readings.contains {
        $0.provider == provider && $0.isRead && $0.state.isSame(as: file.state, .content)
      }
      guard hasHash else { return }
      questions.append(FileReader.Question(file: file, asked: [0]))
      if questions.count >= Self.chunk { try compare() }
    }
    try compare()
    return (files, failures)
  }

  private func stored(of entry: Int64) throws -> String? {
    try db.first(
      SQL(
        "SELECT value FROM _entry_values WHERE entry_id = ? AND key = ?",
        [.integer(entry), .text(FileHash.valueKey)])
    ) { $0.text(0) }
  }
}
