public import SystemPackage

/// Why a catalog could not do what it was asked.
///
/// `description` is one line for a person: it names the thing and says what to do.
public struct CatalogError: Error, Sendable, CustomStringConvertible {
  /// The reason, for programs. More cases may come; handle unknown ones by their description.
  public struct Code: Sendable, Hashable {
    private enum Value: Hashable, Sendable {
      case cannotOpen, notACatalog, newerSchema, corrupt, diskFull, busy, readOnly, database
      case rootNotFound, notADirectory, notInCatalog, unreadableRoot, tooManyRemoved,
        changedWhileRead
      case unknownColumn, invalidArgument, cursorTooOld, notReadOnlySQL, invalidSQL, timedOut,
        interrupted, historyDropped
      case snapshotTooOld, outOfRange, searchNotFound
    }
    private let value: Value
    private init(_ value: Value) { self.value = value }

    /// The file cannot be opened or created.
    public static let cannotOpen = Code(.cannotOpen)
    /// The file exists and is something else.
    public static let notACatalog = Code(.notACatalog)
    /// The catalog was made by a newer version of this library.
    public static let newerSchema = Code(.newerSchema)
    /// The file is damaged.
    public static let corrupt = Code(.corrupt)
    /// No space is left for the catalog; it is as it was before.
    public static let diskFull = Code(.diskFull)
    /// Another process is writing to the catalog.
    public static let busy = Code(.busy)
    /// The catalog, or its folder, may not be written to.
    public static let readOnly = Code(.readOnly)
    /// SQLite reported something else; the description has its words.
    public static let database = Code(.database)
    /// There is nothing at the path that was to be scanned.
    public static let rootNotFound = Code(.rootNotFound)
    /// The path is not a directory.
    public static let notADirectory = Code(.notADirectory)
    /// The catalog has no entry at the path.
    public static let notInCatalog = Code(.notInCatalog)
    /// The root itself cannot be read.
    public static let unreadableRoot = Code(.unreadableRoot)
    /// A scan would have removed more than half of a root.
    public static let tooManyRemoved = Code(.tooManyRemoved)
    /// Directories of a root were changed so fast that no scan could read them twice alike.
    public static let changedWhileRead = Code(.changedWhileRead)
    /// There is no column with this name.
    public static let unknownColumn = Code(.unknownColumn)
    /// A value is out of its range.
    public static let invalidArgument = Code(.invalidArgument)
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
  /// The reason and what to do, in one line for a person.
  public let description: String

  init(_ code: Code, path: FilePath? = nil, _ description: String) {
    self.code = code
    self.path = path
    self.description = description
  }
}
