internal import FileSystem
internal import Synchronization
internal import SystemPackage

/// Finds files of the same content among files of the same size: by their first and last block, and
/// where these are the same by everything.
///
/// Reading blocks threads, so this runs on a thread of its own, with others at its side.
final class ContentComparison: Sendable {
  private struct State {
    var failures: [ScanFailure] = []
    var filesRead = 0
    var hashed: [ContentCandidate] = []
  }

  private struct Key: Hashable {
    var size: Int64
    var hash: [UInt8]?
  }

  private let isCancelled = Atomic<Bool>(false)
  private let state = Monitor(State())
  /// Gets files with new hashes, to be remembered.
  private let remember: @Sendable ([ContentCandidate]) -> Void
  /// The absolute paths of the roots that the files are in.
  private let roots: [FilePath]

  init(in roots: [FilePath], remember: @escaping @Sendable ([ContentCandidate]) -> Void) {
    self.roots = roots
    self.remember = remember
  }

  /// Makes ``run(_:)`` stop soon.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// - Parameter classes: files of the same size, and more than one, each class.
  func run(_ classes: [[ContentCandidate]]) throws -> DuplicateGroup.Findings {
    let reader = ContentReader(roots: roots)
    let ended = hashed(classes.joined().filter { $0.ends == nil }) {
      file throws(ContentReader.Failure) in
      file.ends = try reader.ends(of: file)
      if ContentReader.readsWhole(file.size) { file.whole = file.ends }
    }
    try stopIfCancelled()
    let known = classes.joined().filter { $0.ends != nil }
    let alike = Self.groups(known + ended) { $0.ends }.joined().map(\.id)
    // What is remembered is of the file that the catalog knows: whether it is that still has to be seen
    // before somebody deletes one for the other.
    let remembered = Set(known.map(\.id)).intersection(alike)
    let changed = Set(
      known.filter { remembered.contains($0.id) && !isUnchanged($0, reader) }.map(\.id))
    try stopIfCancelled()
    let sameEnds = Self.groups(known.filter { !changed.contains($0.id) } + ended) { $0.ends }
    let whole = hashed(sameEnds.joined().filter { $0.whole == nil }) {
      file throws(ContentReader.Failure) in
      file.whole = try reader.whole(of: file) { self.isCancelled.load(ordering: .relaxed) }
    }
    try stopIfCancelled()
    rememberRest()
    let same = Self.groups(sameEnds.joined().filter { $0.whole != nil } + whole) { $0.whole }
    return state.withLock { state in
      DuplicateGroup.Findings(
        groups: same.map { DuplicateGroup($0, hash: $0.first?.whole) }.sorted(by: Self.comesFirst),
        failures: state.failures.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) },
        filesRead: state.filesRead)
    }
  }

  /// What wastes most comes first.
  static func comesFirst(_ a: DuplicateGroup, _ b: DuplicateGroup) -> Bool {
    (b.wasted, b.size, a.members.first?.id.rawValue ?? 0)
      < (a.wasted, a.size, b.members.first?.id.rawValue ?? 0)
  }

  /// The files that share size and key with another.
  private static func groups(
    _ files: some Sequence<ContentCandidate>, by key: (ContentCandidate) -> [UInt8]?
  ) -> [[ContentCandidate]] {
    return Dictionary(grouping: files) { Key(size: $0.size, hash: key($0)) }.values
      .filter { $0.count > 1 }
      .map { $0.sorted { $0.id < $1.id } }
  }

  private func isUnchanged(_ file: ContentCandidate, _ reader: ContentReader) -> Bool {
    do throws(ContentReader.Failure) {
      try reader.requireUnchanged(file)
      return true
    } catch {
      fail(file, error)
      return false
    }
  }

  /// Reads files side by side; those that cannot be read are left out.
  private func hashed(
    _ files: [ContentCandidate],
    _ body: @escaping @Sendable (inout ContentCandidate) throws(ContentReader.Failure) -> Void
  ) -> [ContentCandidate] {
    let done = Monitor<[ContentCandidate]>([])
    let rest = Monitor(files[...])
    WorkerThread.together(min(4, files.count), named: "catalog hashing") { [self] in
      while !isCancelled.load(ordering: .relaxed), var file = rest.withLock({ $0.popFirst() }) {
        do throws(ContentReader.Failure) {
          try body(&file)
          // What was not read to its end is not remembered.
          guard !isCancelled.load(ordering: .relaxed) else { return }
          let result = file
          done.withLock { $0.append(result) }
          note(result)
        } catch {
          fail(file, error)
        }
      }
    }
    return done.withLock { $0 }
  }

  private func note(_ file: ContentCandidate) {
    let full = state.withLock { state -> [ContentCandidate] in
      state.filesRead += 1
      state.hashed.append(file)
      guard state.hashed.count >= 1000 else { return [] }
      defer { state.hashed = [] }
      return state.hashed
    }
    // What is not remembered now is read again another time.
    if !full.isEmpty { remember(full) }
  }

  private func rememberRest() {
    let rest = state.withLock { state in
      defer { state.hashed = [] }
      return state.hashed
    }
    if !rest.isEmpty { remember(rest) }
  }

  private func fail(_ file: ContentCandidate, _ failure: ContentReader.Failure) {
    let entry =
      switch failure {
      case .system(let error):
        ScanFailure(
          path: file.path, operation: "read", errno: error.rawValue, message: error.description)
      case .changed:
        ScanFailure(
          path: file.path, operation: "compare", errno: 0,
          message: "it has changed since the last scan")
      }
    state.withLock { $0.failures.append(entry) }
  }

  private func stopIfCancelled() throws {
    guard isCancelled.load(ordering: .relaxed) else { return }
    // What was hashed so far need not be read again.
    rememberRest()
    throw CancellationError()
  }
}

extension DuplicateGroup {
  init(_ files: [ContentCandidate], hash: [UInt8]?) {
    let members = files.map {
      Member(id: EntryID(rawValue: $0.id), path: $0.path, allocated: $0.allocated)
    }
    self.init(size: files.first?.size ?? 0, hash: hash, members: members)
  }
}
