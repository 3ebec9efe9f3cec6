public import SystemPackage

/// Why a catalog could not do what it was asked.
///
/// `description` is one line for a person and states facts: what to do about them depends on the
/// program, which goes by ``code-swift.property`` and the other properties.
public struct CatalogError: Error, Sendable, CustomStringConvertible {
  /// The reason, for programs. More may come; treat unknown ones by their description.
  public struct Code: Sendable, Hashable {
    private enum Value: Hashable, Sendable {
      case catalogNotFound, cannotCreate, cannotOpen, notACatalog
      case newerSchema, olderSchema, corrupt
      case diskFull, busy, readOnly, database
      case rootNotFound, notADirectory, unreadableRoot, tooManyRemoved, differentVolume
      case changedWhileRead
      case notInCatalog, noRoots, notARoot, containerNotFound, searchNotFound, reportNotFound
      case viewNotFound
      case unknownColumn, invalidArgument, invalidExclusion, invalidCursor, cursorTooOld
      case snapshotTooOld, outOfRange, historyDropped
      case notReadOnlySQL, invalidSQL, timedOut, interrupted
    }
    private let value: Value
    private init(_ value: Value) { self.value = value }

    /// There is no file, and none was to be made.
    public static let catalogNotFound = Code(.catalogNotFound)
    /// The file cannot be created.
    public static let cannotCreate = Code(.cannotCreate)
    /// The file cannot be opened.
    public static let cannotOpen = Code(.cannotOpen)
    /// The file exists and is something else.
    public static let notACatalog = Code(.notACatalog)
    /// The catalog was made by a newer version of this library.
    public static let newerSchema = Code(.newerSchema)
    /// The catalog was made by a version of this library that was never released.
    public static let olderSchema = Code(.olderSchema)
    /// The file is damaged.
    public static let corrupt = Code(.corrupt)
    /// No space is left for the catalog; it is as it was before.
    public static let diskFull = Code(.diskFull)
    /// Another process is writing to the catalog.
    public static let busy = Code(.busy)
    /// The catalog, or its directory, may not be written to.
    public static let readOnly = Code(.readOnly)
    /// SQLite reported something else; the description has its words.
    public static let database = Code(.database)
    /// There is nothing at the path that was to be scanned. ``CatalogError/root`` tells whether that
    /// is a known root, whose entries are kept.
    public static let rootNotFound = Code(.rootNotFound)
    /// The path is not a directory.
    public static let notADirectory = Code(.notADirectory)
    /// The catalog has no entry at the path. ``CatalogError/root`` is the root that it would be in.
    public static let notInCatalog = Code(.notInCatalog)
    /// Everything was to be scanned, and the catalog has no roots.
    public static let noRoots = Code(.noRoots)
    /// The path is not a root of the catalog.
    public static let notARoot = Code(.notARoot)
    /// No such container is registered.
    public static let containerNotFound = Code(.containerNotFound)
    /// There is no report with this name.
    public static let reportNotFound = Code(.reportNotFound)
    /// The schema has no view with this name.
    public static let viewNotFound = Code(.viewNotFound)
    /// The root itself cannot be read.
    public static let unreadableRoot = Code(.unreadableRoot)
    /// A scan would have removed more than half of a root.
    public static let tooManyRemoved = Code(.tooManyRemoved)
    /// A root is on another file system than before.
    public static let differentVolume = Code(.differentVolume)
    /// Directories of a root were changed so fast that no scan could read them twice alike.
    public static let changedWhileRead = Code(.changedWhileRead)
    /// There is no column with this name.
    public static let unknownColumn = Code(.unknownColumn)
    /// A value is out of its range.
    public static let invalidArgument = Code(.invalidArgument)
    /// A pattern of what a scan leaves out is not well formed.
    public static let invalidExclusion = Code(.invalidExclusion)
    /// The text is not one of a cursor.
    public static let invalidCursor = Code(.invalidCursor)
    /// The catalog has changed since the cursor was made.
    public static let cursorTooOld = Code(.cursorTooOld)
    /// Changes that were asked for are not kept any more.
    public static let historyDropped = Code(.historyDropped)
    /// The catalog has changed since the snapshot was made.
    public static let snapshotTooOld = Code(.snapshotTooOld)
    /// A table has no row with this index.
    public static let outOfRange = Code(.outOfRange)
    /// There is no saved search with this name.
    public static let searchNotFound = Code(.searchNotFound)
    /// The SQL statement does more than read.
    public static let notReadOnlySQL = Code(.notReadOnlySQL)
    /// The SQL statement is not valid.
    public static let invalidSQL = Code(.invalidSQL)
    /// The time that was given ran out.
    public static let timedOut = Code(.timedOut)
    /// The work was cancelled; the catalog is as it was before.
    public static let interrupted = Code(.interrupted)
  }

  /// The reason, for programs.
  public let code: Code
  /// The file the error is about, where there is one.
  public let path: FilePath?
  /// The root of the catalog that the error is about, where there is one.
  public let root: FilePath?
  /// The names that there are, where one was given that is not among them.
  public let known: [String]
  /// The known name that was probably meant.
  public let nearest: String?
  /// The reason, in one line for a person.
  public let description: String

  init(_ code: Code, path: FilePath? = nil, root: FilePath? = nil, _ description: String) {
    self.code = code
    self.path = path
    self.root = root
    known = []
    nearest = nil
    self.description = description
  }

  /// There is nothing with this name.
  init(_ code: Code, named name: String, among known: [String], _ description: String) {
    self.code = code
    path = nil
    root = nil
    self.known = known
    nearest = Spelling.nearest(to: name, in: known)
    self.description = description
  }
}
