internal import FileSystem
package import SQLite
internal import StandardDirectories
public import SystemPackage
internal import TextMatching

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Why a catalog could not do what it was asked.
///
/// `description` is one line for a person and states facts: what to do about them depends on the
/// program, which goes by ``code-swift.property`` and the other properties.
public struct CatalogError: Error, Sendable, CustomStringConvertible {
  /// The reason, for programs. More may come; treat unknown ones by their description.
  public struct Code: Sendable, Hashable {
    private enum Value: Hashable, Sendable {
      case catalogNotFound, cannotCreate, cannotWrite, alreadyExists, cannotOpen, notACatalog
      case newerSchema, olderSchema, corrupt, wrongSchema
      case diskFull, busy, readOnly, systemLimit, database
      case rootNotFound, rootReplaced, notADirectory, unreadableRoot, tooManyRemoved,
        differentVolume
      case changedWhileRead, valuesNotProvided, overlappingRoots, rootInTheWay
      case notInCatalog, noRoots, notARoot, containerNotFound, ambiguousContainer
      case protectedRole, clockBehind
      case searchNotFound, reportNotFound, viewNotFound, scanNotFound
      case unknownColumn, invalidArgument, invalidExclusion, exclusionNotFound, invalidCursor,
        foreignCursor
      case snapshotTooOld, outOfRange, historyDropped, notKept, stateNotKept
      case notReadOnlySQL, invalidSQL, rowTooLong, outOfMemory, timedOut, interrupted
    }
    private let value: Value
    private init(_ value: Value) { self.value = value }

    /// There is no file, and none was to be made.
    public static let catalogNotFound = Code(.catalogNotFound)
    /// The file cannot be created.
    public static let cannotCreate = Code(.cannotCreate)
    /// A file beside the catalog, such as a copy, cannot be written.
    public static let cannotWrite = Code(.cannotWrite)
    /// There is a file already where one was to be written.
    public static let alreadyExists = Code(.alreadyExists)
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
    /// The file is that of a catalog, but for a table, an index or a trigger: one that a catalog has is
    /// missing or different, or there is one that it does not have. ``CatalogError/foreign`` is the latter.
    public static let wrongSchema = Code(.wrongSchema)
    /// No space is left for the catalog; it is as it was before.
    public static let diskFull = Code(.diskFull)
    /// Another process is writing to the catalog.
    public static let busy = Code(.busy)
    /// The catalog, or its directory, may not be written to.
    public static let readOnly = Code(.readOnly)
    /// The system gives this process no more of what the work needs, such as threads.
    public static let systemLimit = Code(.systemLimit)
    /// SQLite reported something else; the description has its words.
    public static let database = Code(.database)
    /// There is nothing at the path that was to be scanned. ``CatalogError/root`` tells whether that
    /// is a known root, whose entries are kept.
    public static let rootNotFound = Code(.rootNotFound)
    /// The path of a root leads somewhere else than it did: there is a symbolic link now where it, or a
    /// directory above it, was. ``CatalogError/root`` is the root, whose entries are kept, and
    /// ``CatalogError/path`` where its path leads to.
    public static let rootReplaced = Code(.rootReplaced)
    /// The path is not a directory. ``CatalogError/root`` is the same path where it was to be scanned.
    public static let notADirectory = Code(.notADirectory)
    /// The catalog has no entry at the path. ``CatalogError/root`` is the root that it would be in.
    public static let notInCatalog = Code(.notInCatalog)
    /// Everything was to be scanned, and the catalog has no roots.
    public static let noRoots = Code(.noRoots)
    /// The path is not a root of the catalog.
    public static let notARoot = Code(.notARoot)
    /// No such container is registered.
    public static let containerNotFound = Code(.containerNotFound)
    /// Several registered containers have the identifier. ``CatalogError/known`` are their paths.
    public static let ambiguousContainer = Code(.ambiguousContainer)
    /// Something was to be deleted that the role of its directory protects. ``CatalogError/known`` are the
    /// roles.
    public static let protectedRole = Code(.protectedRole)
    /// The clock is behind what it has said before, so that it does not tell how old anything is.
    public static let clockBehind = Code(.clockBehind)
    /// There is no report with this name.
    public static let reportNotFound = Code(.reportNotFound)
    /// The schema has no view with this name.
    public static let viewNotFound = Code(.viewNotFound)
    /// There has been no scan with this number.
    public static let scanNotFound = Code(.scanNotFound)
    /// The root itself cannot be read.
    public static let unreadableRoot = Code(.unreadableRoot)
    /// A scan would have removed more than half of a root.
    public static let tooManyRemoved = Code(.tooManyRemoved)
    /// A root is on another file system than before.
    public static let differentVolume = Code(.differentVolume)
    /// Directories of a root were changed so fast that no scan could read them twice alike.
    public static let changedWhileRead = Code(.changedWhileRead)
    /// A root asks for resource values that no provider here has.
    public static let valuesNotProvided = Code(.valuesNotProvided)
    /// A root of another catalog lies in one of this catalog, or the other way round; ``CatalogError/root`` is
    /// that one.
    public static let overlappingRoots = Code(.overlappingRoots)
    /// A root was to get a path that another root has, or that would put one of them into the other.
    /// ``CatalogError/root`` is that one.
    public static let rootInTheWay = Code(.rootInTheWay)
    /// There is no column with this name.
    public static let unknownColumn = Code(.unknownColumn)
    /// A value is out of its range.
    public static let invalidArgument = Code(.invalidArgument)
    /// A pattern of what a scan leaves out is not well formed.
    public static let invalidExclusion = Code(.invalidExclusion)
    /// A pattern was to be taken away from what a root leaves out, and is not among it.
    /// ``CatalogError/known`` is.
    public static let exclusionNotFound = Code(.exclusionNotFound)
    /// The text is not one of a cursor.
    public static let invalidCursor = Code(.invalidCursor)
    /// The cursor was made by another query, in another directory or another order.
    public static let foreignCursor = Code(.foreignCursor)
    /// Changes that were asked for are not kept any more.
    public static let historyDropped = Code(.historyDropped)
    /// The history does not go back to the state that was asked for.
    public static let stateNotKept = Code(.stateNotKept)
    /// Something was asked of an earlier state that the history does not keep. ``CatalogError/known`` is what it
    /// does.
    public static let notKept = Code(.notKept)
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
    /// A row that an SQL statement made, or a value on the way to one, has more bytes than are allowed.
    public static let rowTooLong = Code(.rowTooLong)
    /// SQLite got no more memory.
    public static let outOfMemory = Code(.outOfMemory)
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
  /// The names that there are, where one was given that is not among them, or not one alone.
  public let known: [String]
  /// The known name that was probably meant.
  public let nearest: String?
  /// Where in an SQL statement SQLite stumbled, in UTF-8 bytes, as far as it tells.
  public let offset: Int?
  /// The table, index or trigger that does not belong into the catalog.
  public let foreign: ForeignObject?
  /// The reason, in one line for a person.
  public let description: String

  /// What somebody has put into the file of a catalog.
  public struct ForeignObject: Sendable, Hashable {
    /// What SQLite calls it: `table`, `index` or `trigger`.
    public let kind: String
    /// Its name.
    public let name: String
  }

  package init(
    _ code: Code, path: FilePath? = nil, root: FilePath? = nil, known: [String] = [],
    nearest: String? = nil, offset: Int? = nil, foreign: ForeignObject? = nil,
    _ description: String
  ) {
    self.code = code
    self.path = path
    self.root = root
    self.known = known
    self.offset = offset
    self.nearest = nearest
    self.foreign = foreign
    self.description = description
  }

  /// There is nothing with this name.
  package init(
    _ code: Code, path: FilePath? = nil, named name: String, among known: [String],
    _ description: String
  ) {
    self.code = code
    self.path = path
    root = nil
    offset = nil
    foreign = nil
    self.known = known
    nearest = Spelling.nearest(to: name, in: known)
    self.description = description
  }
}

extension CatalogError {
  /// The file is no catalog.
  package init(notACatalog path: FilePath) {
    self.init(
      .notACatalog, path: path,
      "\(path.string) is not a catalog")
  }

  /// What an error of SQLite means for the person whose catalog is at `path`.
  package init(_ error: SQLiteError, path: FilePath) {
    let name = path.string
    let message = error.message
    switch error.code {
    case .notADatabase:
      self.init(notACatalog: path)
    case .corrupt:
      let foreign = error.object.flatMap { object in
        object.fault == .foreign ? ForeignObject(kind: object.kind, name: object.name) : nil
      }
      self.init(
        error.object == nil ? .corrupt : .wrongSchema, path: path, foreign: foreign,
        "\(name) is damaged: \(message)")
    case .tooBig:
      self.init(
        .corrupt, path: path,
        "\(name) holds a row of more than \(Limits.catalog.valueBytes) bytes, as no scan makes one")
    case .outOfMemory:
      self.init(
        .outOfMemory, path: path,
        "SQLite got no more memory\(Memory.limit.map { " than \($0) bytes" } ?? "") for \(name)")
    case .full:
      self.init(
        .diskFull, path: path,
        "no space left on the disk of \(name); the catalog is as it was before")
    case .busy, .locked:
      self.init(
        .busy, path: path,
        "\(name) is in use: \(LockHolder(of: path)?.description ?? "another scan") is writing to it"
      )
    case .lockingProtocol:
      self.init(
        .busy, path: path, "\(name) is in use: the system refuses the locks for reading it")
    case .readOnly, .noPermission:
      self.init(
        .readOnly, path: path,
        "\(name) may not be written to")
    case .cannotOpen:
      self.init(
        .cannotOpen, path: path,
        "\(name) cannot be opened")
    case .interrupted, .aborted:
      self.init(.interrupted, path: path, "interrupted; \(name) is as it was before")
    case .inputOutput:
      self.init(
        .database, path: path,
        "\(name): the disk reported an error (\(message)); the catalog is as it was before")
    default:
      self.init(.database, path: path, "\(name): \(message)")
    }
  }

  private init(_ error: PageLoaderError, path: FilePath) {
    if case .system(_, let errno) = error.reason {
      self.init(creating: path, Errno(rawValue: errno))
    } else {
      self.init(.database, path: path, "\(path.string): \(error)")
    }
  }

  /// Any error met while working on the catalog at `path`, as one of ours.
  package init(_ error: any Error, path: FilePath) {
    switch error {
    case let error as CatalogError:
      self = error
    case let error as SQLiteError:
      self.init(error, path: path)
    case let error as PageLoaderError:
      self.init(error, path: path)
    case let error as ThreadError:
      self.init(.systemLimit, path: path, "\(error)")
    case is CancellationError:
      self.init(.interrupted, path: path, "interrupted; \(path.string) is as it was before")
    default:
      self.init(.database, path: path, "\(path.string): \(error)")
    }
  }
}

/// The process that is writing to a catalog, as far as the system tells.
///
/// SQLite locks the byte 120 of the file `-shm` for the time of a write transaction
/// (sqlite.org/walformat.html, "WAL-Index File Locking"). Linux lists all locks in `/proc/locks`; the
/// file itself is not opened, because closing it would drop our own locks.
package struct LockHolder: CustomStringConvertible {
  package let process: Int32

  package init?(of catalog: FilePath) {
    #if os(Linux)
      var status = stat()
      guard catalog.with(ending: "-shm").withPlatformString({ stat($0, &status) }) == 0,
        let locks = try? LocalFiles().contents(of: "/proc/locks")
      else { return nil }
      for line in String(decoding: locks, as: UTF8.self).split(separator: "\n") {
        // 1: POSIX  ADVISORY  WRITE 4711 08:01:123456 120 120
        let words = line.split(separator: " ")
        guard words.count >= 8, words[1] == "POSIX", words[3] == "WRITE", words[6] == "120",
          let process = Int32(words[4]), process != getpid(),
          words[5].split(separator: ":").last == Substring(String(status.st_ino))
        else { continue }
        self.process = process
        return
      }
    #endif
    return nil
  }

  package var description: String {
    guard let command = try? LocalFiles().contents(of: FilePath("/proc/\(process)/comm")) else {
      return "process \(process)"
    }
    let name = String(decoding: command.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return "process \(process) (\(name))"
  }
}
