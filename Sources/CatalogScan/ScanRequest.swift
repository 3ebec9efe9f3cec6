internal import CPlatform
public import CatalogStore
public import FileSystem
public import StandardDirectories
internal import Synchronization
public import SystemPackage

/// What one call of a scan asks for, beside the settings that its root keeps.
public struct ScanRequest: Sendable {
  /// What to do when a known root has lost more than half of its entries.
  public enum Loss: Sendable {
    /// Refuse: the root is probably not mounted.
    case refused
    case accepted
  }

  /// How many threads read directories.
  public enum Jobs: Sendable, Hashable {
    /// As many as the disk wants: one a processor while they compute, and more, up to a number, while they
    /// mostly wait for a disk or a network. Fewer where the system gives fewer threads or open files.
    case asNeeded(atMost: Int)
    /// So many.
    case fixed(Int)

    /// As many as the disk wants, up to 64.
    public static var usual: Jobs { .asNeeded(atMost: 64) }
  }

  /// Which directories of a known root are read.
  public enum Thoroughness: Sendable {
    /// All of them, and the values of every file.
    case full
    /// Those that have changed by their own times since they were read, and those that could not be read
    /// then. What was added, removed or renamed is found; a file that was written in place, or in a package,
    /// is found where the directory that it is in is read as well. The scan is
    /// ``/CatalogStore/ScanState/quick``. A root that is new, or gets other settings, is read in full,
    /// and so is one whose directories alone do not tell where everything has gone.
    case quick
  }

  /// Settings that replace those kept with a known root; `nil` keeps them. A new root starts with
  /// the defaults.
  public var depth: ScanOptions.Depth?
  /// See ``/CatalogStore/ScanOptions/maxDepth``; `.some(nil)` for any depth.
  public var maxDepth: Int??
  /// See ``/CatalogStore/ScanOptions/hidden-swift.property``.
  public var hidden: ScanOptions.Hidden?
  /// See ``/CatalogStore/ScanOptions/boundary``.
  public var boundary: ScanOptions.Boundary?
  /// See ``/CatalogStore/ScanOptions/packages``.
  public var packages: ScanOptions.Packages?
  /// See ``/CatalogStore/ScanOptions/typing``.
  public var typing: ScanOptions.Typing?
  /// See ``/CatalogStore/ScanOptions/excludes``.
  public var excludes: [String]?
  /// What a root that is new leaves out where ``excludes`` does not say it.
  public var excludesOfNewRoots: [String] = []
  /// Globs to leave out beside those that are left out already.
  public var addedExcludes: [String] = []
  /// Globs that are not to be left out any more.
  public var removedExcludes: [String] = []
  /// See ``/CatalogStore/ScanOptions/gitIgnore-swift.property``.
  public var gitIgnore: ScanOptions.GitIgnore?
  /// See ``/CatalogStore/ScanOptions/skippedFileSystems``.
  public var skippedFileSystems: FileSystemTypes?
  /// See ``/CatalogStore/ScanOptions/resourceValues``.
  public var resourceValues: [String]?
  /// See ``/CatalogStore/ScanOptions/contentValues``.
  public var contentValues: [String]?
  /// Containers to register together with the scan, so that their directories get their roles by it;
  /// see `Catalog.register(_:)`.
  public var containers: [Container] = []
  /// How many threads read directories.
  public var jobs: Jobs
  /// Which directories of a known root are read.
  public var thoroughness = Thoroughness.full
  /// What to do about a root that has lost more than half of its entries.
  public var loss = Loss.refused
  /// How long after the scan of one root, which has lost an entry or found a new one, the scan of another
  /// root may begin that finds where it has gone or come from: both are one move then, with the id and the
  /// tags that the entry had. A day; with zero, no entry moves from one root into another.
  public var movesWithin = Duration.seconds(24 * 60 * 60)
  /// Who made the changes that the scan is going to find, if one knows.
  public var origin: ChangeOrigin?
  /// Which of them are the origin's.
  package var originShare = OriginShare.all

  package enum OriginShare: Sendable {
    case all
    /// Those of items that a coordinator with this origin has just written.
    case claimed
  }

  /// - Parameter jobs: how many threads read directories.
  public init(jobs: Jobs = .usual) {
    self.jobs = jobs
  }

  /// A request for a scan with so many threads.
  public init(jobs: Int) {
    self.init(jobs: .fixed(jobs))
  }

  /// A request that sets all settings of its roots.
  public init(_ options: ScanOptions, jobs: Jobs = .usual) {
    self.jobs = jobs
    depth = options.depth
    maxDepth = .some(options.maxDepth)
    hidden = options.hidden
    boundary = options.boundary
    packages = options.packages
    typing = options.typing
    excludes = options.excludes
    gitIgnore = options.gitIgnore
    skippedFileSystems = options.skippedFileSystems
    resourceValues = options.resourceValues
    contentValues = options.contentValues
  }

  /// Refuses to take away what is not there.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/exclusionNotFound``, with what there is.
  package func requireKnownExcludes(in kept: ScanOptions?, of root: FilePath) throws(CatalogError) {
    let known = (excludes ?? kept?.excludes ?? excludesOfNewRoots) + addedExcludes
    for glob in removedExcludes where !known.contains(glob) {
      throw CatalogError(
        .exclusionNotFound, path: root, named: glob, among: known,
        "\(root.string) does not leave out “\(glob)”")
    }
  }

  /// The settings of a root.
  ///
  /// - Parameter kept: those that are kept with it; `nil` for a new root.
  package func settings(over kept: ScanOptions?) -> ScanOptions {
    var settings = kept ?? ScanOptions()
    if kept == nil { settings.excludes = excludesOfNewRoots }
    if let depth { settings.depth = depth }
    if let maxDepth { settings.maxDepth = maxDepth.map { max(1, $0) } }
    if let hidden { settings.hidden = hidden }
    if let boundary { settings.boundary = boundary }
    if let packages { settings.packages = packages }
    if let typing { settings.typing = typing }
    if let excludes { settings.excludes = excludes }
    for glob in addedExcludes where !settings.excludes.contains(glob) {
      settings.excludes.append(glob)
    }
    settings.excludes.removeAll(where: removedExcludes.contains)
    if let gitIgnore { settings.gitIgnore = gitIgnore }
    if let skippedFileSystems { settings.skippedFileSystems = skippedFileSystems }
    if let resourceValues { settings.resourceValues = resourceValues }
    if let contentValues { settings.contentValues = contentValues }
    return settings
  }
}

extension ScanRequest.Jobs {
  /// How many files are read at a time for what they hold.
  var readers: Int {
    switch self {
    case .fixed(let count): count
    case .asNeeded(let most): max(1, min(most, Int(cplatform_processor_count())))
    }
  }

  /// The options of a walk with so many threads.
  var walkOptions: WalkOptions {
    switch self {
    case .fixed(let count):
      WalkOptions(jobs: count)
    case .asNeeded(let most):
      // A few at first: what is small is read by then.
      WalkOptions(
        jobs: max(1, min(8, most, Int(cplatform_processor_count()))), atMost: most)
    }
  }
}

/// How far a scan is.
public struct ScanProgress: Sendable {
  /// The root being scanned.
  public var root: FilePath
  /// Entries found so far.
  public var entries: Int
  /// What could not be read so far.
  public var errors: Int
  /// Seconds since the scan of this root began.
  public var seconds: Double
  /// A directory that was read a moment ago.
  public var directory: FilePath
  /// How many entries the last scan of this root found; `nil` on the first.
  public var expectedEntries: Int?
  /// How many files were read for the values that they hold, once that has begun: the scan itself is
  /// committed then.
  public var filesRead: Int?

  package init(
    root: FilePath, entries: Int, errors: Int, seconds: Double, directory: FilePath,
    expectedEntries: Int? = nil, filesRead: Int? = nil
  ) {
    self.root = root
    self.entries = entries
    self.errors = errors
    self.seconds = seconds
    self.directory = directory
    self.expectedEntries = expectedEntries
    self.filesRead = filesRead
  }

  /// The part done, from 0 to 1, as far as the last scan tells.
  public var fraction: Double? {
    guard let expectedEntries, expectedEntries > 0 else { return nil }
    return min(1, Double(entries) / Double(expectedEntries))
  }
}

/// Stops a scan from outside: from a cancelled task or a signal.
package final class ScanControl: Sendable {
  private struct State {
    var isCancelled = false
    var walker: TreeWalker?
  }

  private let monitor = Monitor(State())

  package init() {}

  package var isCancelled: Bool { monitor.withLock { $0.isCancelled } }

  /// Ties the walk that is going on to this control.
  package func attach(_ walker: TreeWalker?) {
    let isCancelled = monitor.withLock { state in
      state.walker = walker
      return state.isCancelled
    }
    if isCancelled { walker?.cancel() }
  }

  package func cancel() {
    let walker = monitor.withLock { state in
      state.isCancelled = true
      return state.walker
    }
    walker?.cancel()
  }
}
