// Whoever imports this module needs no other: the values that it speaks in come along.
@_exported public import CatalogScan
@_exported public import CatalogStore
@_exported public import FileCoordination
@_exported public import FileSystem
@_exported public import Fleet
internal import SQLite
@_exported public import StandardDirectories
public import SystemPackage
@_exported public import TextMatching
@_exported public import UniformTypes

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A catalog of file metadata in one SQLite file.
///
/// ```swift
/// let catalog = try Catalog(at: "photos.sqlite")
/// for summary in try await catalog.scan(["/home/me/Pictures"]) {
///   print(summary.root, summary.entries)
/// }
/// let large = try await catalog.entries(matching: Query(parsing: "kind:image size:>10M"))
/// ```
///
/// One catalog may be open in any number of processes: one writes at a time, and readers see the
/// state before a scan until the scan is complete. Methods throw ``/CatalogStore/CatalogError``, but for queries,
/// which throw ``QueryError`` when they are parsed.
public final class Catalog: Sendable {
  /// What opening a catalog may do.
  public enum Access: Sendable {
    /// A missing file is created when the catalog is first used, the directories on its path at once. A
    /// first scan makes the file faster than it could fill an empty one.
    case create
    /// The file must exist.
    case existing
  }

  let store: CatalogStore
  let types: TypeSources
  let roles: RoleSources
  /// The orders of all entries that snapshots were made in.
  let orders = OrderCache()
  /// What coordinators have written and the catalog may not have yet.
  let ownWrites = OwnWrites()
  private let providers: [any ResourceValueProvider]
  let contentProviders: [any ContentProvider]
  let contentHost: ContentHost
  let makeSource: @Sendable () -> any DirectorySource
  let layers = TypeLayerCache()
  private let lastRoleFaults = Monitor<[RoleFault]>([])

  /// Opens the catalog at `path`.
  ///
  /// - Parameters:
  ///   - providers: the resource values that scans may ask for; extended attributes are always known
  ///     by the key `xattr`.
  ///   - contentProviders: what scans may have read in files after the walk, beside the built-in ones:
  ///     ``/CatalogScan/FileHash``, ``/CatalogScan/ImageDetails``, ``/CatalogScan/MediaDetails``,
  ///     ``/CatalogScan/DocumentDetails``, ``/CatalogScan/AccessRights``, ``/CatalogScan/FileOrigin``.
  ///   - contentHost: where they work.
  ///   - types: where scans find declarations of uniform types. They are read when a scan begins:
  ///     everything else gets by with what the catalog has stored.
  ///   - roles: where scans find declarations of roles. They are read when a scan begins, and kept in the catalog
  ///     for everything else; where one is wrong, those of the scan before stay.
  /// - Throws: ``/CatalogStore/CatalogError`` for a file that is no catalog, is damaged, was made by a newer
  ///   version, or cannot be opened or created. The file is not changed then.
  public convenience init(
    at path: FilePath, access: Access = .create, providers: [any ResourceValueProvider] = [],
    contentProviders: [any ContentProvider] = [], contentHost: ContentHost = .thisProcess,
    types: TypeSources = .standard, roles: RoleSources = .standard
  ) throws {
    try self.init(
      at: path, access: access, providers: providers, contentProviders: contentProviders,
      contentHost: contentHost, types: types, roles: roles, makeSource: TreeWalker.systemSource)
  }

  /// A catalog that must exist, and that is never written to: many may ask it at the same time.
  ///
  /// - Parameter connections: how many questions are worked on at a time; others wait.
  package init(reading path: FilePath, connections: Int) throws {
    store = try CatalogStore(path: path, access: .reading(connections: connections))
    types = .standard
    roles = .standard
    makeSource = TreeWalker.systemSource
    providers = []
    contentProviders = []
    contentHost = .thisProcess
  }

  /// A catalog whose scans read directories from `makeSource`, which each of their threads calls.
  package init(
    at path: FilePath, access: Access = .create, providers: [any ResourceValueProvider] = [],
    contentProviders: [any ContentProvider] = [], contentHost: ContentHost = .thisProcess,
    types: TypeSources = .standard, roles: RoleSources = .standard,
    makeSource: @escaping @Sendable () -> any DirectorySource
  ) throws {
    store = try CatalogStore(path: path, access: access == .create ? .create : .existing)
    self.types = types
    self.roles = roles
    self.makeSource = makeSource
    self.providers = providers + [ExtendedAttributeValues()]
    self.contentProviders = contentProviders + BuiltInProviders.all
    self.contentHost = contentHost
  }

  /// The keys of the content providers that every catalog knows.
  public static var builtInContentProviders: [String] { BuiltInProviders.all.map(\.key) }

  /// Answers about the content of files until nobody asks any more: what the program of a
  /// ``/CatalogScan/ContentHost/program(_:arguments:)`` does, and nothing else.
  ///
  /// - Parameters:
  ///   - keys: the last arguments of the command, which are the keys of the providers that are asked.
  ///   - providers: those beside the built-in ones.
  /// - Returns: whether there is a provider for each key; if not, nothing was done.
  public static func serveContent(
    named keys: some Sequence<String>, by providers: [any ContentProvider] = []
  ) -> Bool {
    let known = providers + BuiltInProviders.all
    var asked: [any ContentProvider] = []
    for key in keys {
      guard let provider = known.first(where: { $0.key == key }) else { return false }
      asked.append(provider)
    }
    ContentService.serve(asked)
    return true
  }

  /// The file of the catalog.
  public var path: FilePath { store.path }

  /// Closes the file. Anything that is still going on makes it fail with
  /// ``/CatalogStore/CatalogError/Code/busy``.
  public func close() throws {
    try translatingErrors { try store.close() }
  }

  // MARK: - Scanning

  /// What was wrong with the declarations of types that the last scan by this value went by; empty
  /// before any scan.
  public var typeDiagnostics: [TypeDiagnostic] { layers.diagnostics }

  /// What was wrong with the declarations of roles when a scan by this value last read them. If anything was, the catalog
  /// kept the roles that it had.
  public var roleFaults: [RoleFault] { lastRoleFaults.withLock(\.self) }

  private func readRoles() -> RoleSources.Declarations {
    let declarations = roles.read()
    lastRoleFaults.withLock { $0 = declarations.faults }
    return declarations
  }

  /// Scans roots one after the other: new ones are added, known ones brought up to date.
  ///
  /// Each root is committed by itself, and one that fails does not keep the others from being
  /// scanned: the first error is thrown at the end. Cancelling the task stops the scan within a
  /// moment; the root being scanned is then as it was before. What has gone from one of them into another
  /// is one move, of the root that was scanned later; see ``/CatalogScan/ScanRequest/movesWithin``.
  ///
  /// - Parameters:
  ///   - roots: directories; none means all known roots. Of a root that a directory is inside of,
  ///     only that directory is read again.
  ///   - progress: called a few times a second on a thread of the scan.
  /// - Returns: what was done, root by root.
  public func scan(
    _ roots: [FilePath] = [], request: ScanRequest = ScanRequest(),
    progress: @escaping @Sendable (ScanProgress) -> Void = { _ in }
  ) async throws -> [ScanSummary] {
    layers.prefetch(types)
    let (targets, unknown) = try targets(of: roots, among: try await rootsToScan(), request)
    var failure = unknown
    var summaries: [ScanSummary] = []
    for target in targets {
      do {
        summaries.append(try await scan(target, request, progress))
      } catch let error as CatalogError where error.code != .interrupted {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return summaries.count > 1 ? try await recounted(summaries) : summaries
  }

  /// ``scan(_:request:progress:)`` with all settings of the roots given.
  public func scan(
    _ roots: [FilePath], options: ScanOptions,
    progress: @escaping @Sendable (ScanProgress) -> Void = { _ in }
  ) async throws -> [ScanSummary] {
    try await scan(roots, request: ScanRequest(options), progress: progress)
  }

  func scan(
    _ target: ScanTarget, _ request: ScanRequest,
    _ progress: @escaping @Sendable (ScanProgress) -> Void
  ) async throws -> ScanSummary {
    let control = ScanControl()
    let scanner = Scanner(
      store: store, layers: { [layers, types] in layers.layers(of: types) },
      roles: { [self] in readRoles() }, providers: providers, contentProviders: contentProviders,
      makeSource: makeSource, target: target, request: request,
      control: control,
      ownWrites: ownWrites, progress: progress)
    return try await withTaskCancellationHandler {
      // A scan blocks its thread, so it gets one of its own and none of the tasks'.
      do {
        return try await WorkerThread.run(named: "catalog scan") {
          [store, contentProviders, contentHost] in
          var summary = try scanner.run()
          let reading = ContentReading(
            store: store, root: summary.root, providers: contentProviders, host: contentHost,
            jobs: request.jobs, control: control)
          let entries = summary.entries
          let errors = summary.errors
          let findings = try reading.run(after: summary.scanID, isWhole: target.scope.isWhole) {
            progress(
              ScanProgress(
                root: target.location.path, entries: entries, errors: errors + $0.failures,
                seconds: $0.seconds, directory: $0.directory, filesRead: $0.files))
          }
          summary.errors += findings.failures
          return summary
        }
      } catch {
        throw CatalogError(error, path: path)
      }
    } onCancel: {
      control.cancel()
    }
  }

  /// What there is to scan, and the first path that cannot be. A known root that is not there is
  /// marked as offline.
  func targets(
    of paths: [FilePath], among known: [RootRecord], _ request: ScanRequest
  ) throws -> ([ScanTarget], CatalogError?) {
    try translatingErrors {
      guard !paths.isEmpty || !known.isEmpty else {
        throw CatalogError(.noRoots, path: path, "\(path.string) has no roots yet")
      }
      var found: [ScanTarget] = []
      var failure: CatalogError?
      for path in paths.isEmpty ? known.map(\.location.path) : paths {
        do {
          try ScanTarget(path, among: known, request).add(to: &found)
        } catch let error as CatalogError {
          if let root = error.root.flatMap(known.root(at:)),
            [.rootNotFound, .rootReplaced].contains(error.code)
          {
            try store.pool.write { try RootTable.setState(.offline, of: root.id, in: $0) }
          }
          failure = failure ?? error
        }
      }
      return (found, failure)
    }
  }

  /// The known roots, read by the connection that is to write: a scan needs no other.
  private func rootsToScan() async throws -> [RootRecord] {
    guard !store.isMissing else { return [] }
    do {
      return try await store.pool.withWriter { try RootTable.all(in: $0) }
    } catch {
      throw CatalogError(error, path: store.path)
    }
  }

  func knownRoots() throws -> [RootRecord] {
    // Asking a catalog that does not exist yet would make it, and an empty one loads slower.
    try store.isMissing
      ? [] : translatingErrors { try store.read { try RootTable.all(in: $0) } }
  }

  /// Notes that a root cannot be reached.
  func markOffline(_ location: RootLocation) async throws {
    try await write { db in
      guard let root = try RootTable.all(in: db).root(at: location.path) else { return }
      try RootTable.setState(.offline, of: root.id, in: db)
    }
  }

  /// Drops a root with all its entries. The files themselves are not touched.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/notARoot``.
  public func forget(_ root: FilePath) async throws {
    try await write { db in
      let record = try Self.root(at: root, among: try RootTable.all(in: db))
      try RootTable.remove(record.id, in: db)
      try NameIndex.fillGaps(in: db)
    }
  }

  /// Tells where a root is that was moved, or whose volume is mounted elsewhere.
  ///
  /// It keeps its entries with their ids, its history, its settings, and the containers and searches in it: only
  /// their paths change. A scan of the new path finds what differs there. Scans recognise by themselves
  /// what has the identity of a known root; this is for what has not, such as a copy on another disk.
  ///
  /// - Parameter path: the directory that the root is now.
  /// - Throws: ``/CatalogStore/CatalogError/Code/notARoot``,
  ///   ``/CatalogStore/CatalogError/Code/rootInTheWay``, and
  ///   ``/CatalogStore/CatalogError/Code/rootNotFound`` or
  ///   ``/CatalogStore/CatalogError/Code/notADirectory`` for the new path.
  public func moveRoot(_ root: FilePath, to path: FilePath) async throws {
    let location = try RootLocation(finding: path)
    try await write { db in
      let roots = try RootTable.all(in: db)
      let record = try Self.root(at: root, among: roots)
      try RootMove(of: record, to: location, among: roots).perform(in: db)
    }
  }

  private static func root(
    at path: FilePath, among roots: [RootRecord]
  ) throws(CatalogError) -> RootRecord {
    // What it is called comes before what a link may lead to by now.
    guard let record = roots.root(at: path) ?? path.absolute.resolved.flatMap(roots.root(at:))
    else {
      throw CatalogError(.notARoot, path: path, "\(path.string) is not a root of the catalog")
    }
    return record
  }

  // MARK: - Errors

  func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw CatalogError(error, path: store.path)
    }
  }

  /// Reads in one transaction, off the caller's thread.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    do {
      return try await store.read(body)
    } catch {
      throw CatalogError(error, path: store.path)
    }
  }

  /// Reads in several transactions at the same time; `nil` where they may not be of one state.
  func readAtOnce<Result: Sendable>(
    _ bodies: [@Sendable (Connection) throws -> Result]
  ) async throws -> [Result]? {
    do {
      return try await store.readAtOnce(bodies)
    } catch {
      throw CatalogError(error, path: store.path)
    }
  }

  /// Writes in one transaction, off the caller's thread.
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    do {
      return try await store.pool.write(body)
    } catch {
      throw CatalogError(error, path: store.path)
    }
  }
}

extension Catalog {
  /// The catalog that the command uses when none is named: `$FILECAT_CATALOG`, else
  /// `filecat/catalog.sqlite` in `$XDG_DATA_HOME` or `~/.local/share`, on macOS in
  /// Application Support.
  ///
  /// - Throws: `DirectoryError.unknownHome` where it would be in a home that nothing names.
  public static var defaultPath: FilePath {
    get throws {
      if let file = getenv("FILECAT_CATALOG"), file.pointee != 0 {
        return FilePath(platformString: file)
      }
      return try HostEnvironment.process.applicationData.pushing("filecat/catalog.sqlite")
    }
  }
}
