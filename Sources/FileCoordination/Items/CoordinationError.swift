internal import FileSystem
public import SystemPackage

/// Why a coordinated operation did not happen.
///
/// Where an operation throws, the item is as it was before, unless the operation says otherwise, or the
/// code is ``Code/notFlushed``.
public struct CoordinationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason, for programs. The raw values never change their meaning.
  public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is nothing at the path.
    case notFound = "not_found"
    /// The directory that should hold the item does not exist.
    case parentNotFound = "parent_not_found"
    /// The rights of this process do not suffice.
    case noPermission = "no_permission"
    /// The item is one of those that are only read: whoever observes the coordinator lets nobody change it.
    case readOnly = "read_only"
    /// The volume can only be read.
    case readOnlyVolume = "read_only_volume"
    /// No space, or no quota, is left.
    case outOfSpace = "out_of_space"
    /// The name is taken.
    case alreadyExists = "already_exists"
    /// A file was expected where there is a directory.
    case isADirectory = "is_a_directory"
    /// A directory was expected where there is something else.
    case notADirectory = "not_a_directory"
    /// The path, or a name in a package, cannot be one: empty, too long, `.` or `..`.
    case invalidName = "invalid_name"
    /// Another task or process held the item until the time was over.
    case timedOut = "timed_out"
    /// The task was cancelled while it waited. Nothing was done.
    case cancelled
    /// The item, or a directory around it, is held by the very access in which it was asked for again.
    case wouldDeadlock = "would_deadlock"
    /// A child of a package is no longer what it was when the package was read.
    case changedMeanwhile = "changed_meanwhile"
    /// The volume has no trash that this user may use.
    case noTrash = "no_trash"
    /// It was done and others see it, but the disk may not have it yet: a loss of power could undo it.
    case notFlushed = "not_flushed"
    /// The coordinator's ``DeletionGuard`` keeps the item from being deleted.
    case protected
    /// The item is of a kind, or the volume of a type, with which this cannot be done.
    case unsupported
    /// The system reported something else; see ``CoordinationError/errno``.
    case failed
  }

  /// What was being done.
  public enum Operation: String, Sendable, Hashable, Codable {
    /// Reading a file or package.
    case read
    /// Replacing or making a file or package.
    case write
    /// Reading a file or package and replacing it by what became of it.
    case update
    /// Deleting an item for good.
    case delete
    /// Moving an item to the trash.
    case trash
    /// Giving an item another path.
    case move
    /// Making a directory.
    case createDirectory = "create_directory"
    /// Finding out what is at a path.
    case status
    /// Holding items for a block of code.
    case access
  }

  /// The reason.
  public var code: Code
  /// What was being done.
  public var operation: Operation
  /// The item it was done to.
  public var path: FilePath
  /// The system's own reason, where it was the system that refused.
  public var errno: Errno?

  /// A failure with a reason of its own.
  public init(_ code: Code, _ operation: Operation, _ path: FilePath, errno: Errno? = nil) {
    self.code = code
    self.operation = operation
    self.path = path
    self.errno = errno
  }

  /// A system call that failed.
  public init(_ operation: Operation, _ path: FilePath, _ errno: Errno) {
    self.init(Code(errno), operation, path, errno: errno)
  }

  /// The reason in words, without the item.
  public var reason: String { code.reason ?? errno.map { "\($0)" } ?? "for an unknown reason" }

  /// One line that names the item and the reason.
  public var description: String {
    if code == .notFlushed { return "\(path.string): \(reason)" }
    return "\(path.string): cannot \(operation.phrase): \(reason)"
  }
}

extension CoordinationError {
  /// The number of the same meaning in Foundation's `CocoaError.Code`, for programs that know those.
  ///
  /// Reading and writing have different numbers for the same reason, as there.
  public var cocoaCode: Int {
    let reads = operation == .read || operation == .status || operation == .update
    return switch code {
    case .notFound: reads ? 260 : 4
    case .parentNotFound: 4
    case .noPermission: operation == .read || operation == .status ? 257 : 513
    case .protected: 513
    case .readOnlyVolume: 642
    case .readOnly: 513
    case .outOfSpace: 640
    case .alreadyExists: 516
    case .invalidName: operation == .read || operation == .status ? 258 : 514
    case .timedOut, .wouldDeadlock: 255
    case .cancelled: 3072
    case .noTrash, .unsupported: 3328
    case .isADirectory, .notADirectory, .changedMeanwhile, .notFlushed, .failed:
      operation == .read || operation == .status ? 256 : 512
    }
  }
}

extension CoordinationError.Code {
  /// What an error number of the system means here.
  init(_ errno: Errno) {
    switch errno {
    case .noSuchFileOrDirectory: self = .notFound
    case .permissionDenied, .notPermitted: self = .noPermission
    case .readOnlyFileSystem: self = .readOnlyVolume
    case .noSpace, .diskQuotaExceeded: self = .outOfSpace
    case .fileExists, .directoryNotEmpty: self = .alreadyExists
    case .isDirectory: self = .isADirectory
    case .notDirectory: self = .notADirectory
    case .fileNameTooLong: self = .invalidName
    case .notSupported, .noFunction: self = .unsupported
    default: self = .failed
    }
  }

  /// What is the case; `nil` where the system's words are all there is.
  fileprivate var reason: String? {
    switch self {
    case .notFound: "there is nothing here"
    case .parentNotFound: "its directory does not exist"
    case .noPermission: "permission denied"
    case .readOnly: "what is there is only read"
    case .readOnlyVolume: "the volume is read-only"
    case .outOfSpace: "no space left"
    case .alreadyExists: "the name is taken"
    case .isADirectory: "it is a directory"
    case .notADirectory: "it is not a directory"
    case .invalidName: "this cannot be a name: one has 1 to 255 bytes and is not “.” or “..”"
    case .timedOut: "somebody else is using it"
    case .cancelled: "cancelled while waiting for it"
    case .wouldDeadlock: "this task holds it already"
    case .changedMeanwhile: "it has changed since the package was read"
    case .noTrash: "its volume has no trash for this user"
    case .notFlushed:
      "it was done, but a loss of power may undo it, as its directory could not be flushed"
    case .protected: "what its directory is for protects it"
    case .unsupported: "items of this kind, or this volume, cannot do that"
    case .failed: nil
    }
  }
}

extension CoordinationError.Operation {
  fileprivate var phrase: String {
    switch self {
    case .read: "read"
    case .write: "write"
    case .update: "update"
    case .delete: "delete"
    case .trash: "move to the trash"
    case .move: "move"
    case .createDirectory: "create the directory"
    case .status: "read its values"
    case .access: "get access"
    }
  }
}

/// Runs system calls that concern one item, and says so when one fails.
func reporting<Result>(
  _ operation: CoordinationError.Operation, _ path: FilePath,
  _ body: () throws(Errno) -> Result
) throws(CoordinationError) -> Result {
  do throws(Errno) {
    return try body()
  } catch {
    throw CoordinationError(operation, path, error)
  }
}
