internal import CatalogStore
public import FileSystem
public import SystemPackage

/// Reads values in the content of files, such as the width of an image.
///
/// It is given to `Catalog.init(at:access:providers:contentProviders:contentHost:types:)` and switched on by its
/// key in ``/CatalogStore/ScanOptions/contentValues``. Files are read after the walk, when the scan is
/// committed, and again when they have changed: a rescan asks only about those. Whatever goes wrong is told in
/// `scan_errors`, and the scan goes on.
///
/// ```swift
/// struct LineCount: ContentProvider {
///   let key = "lines"
///   let types = ["public.plain-text"]
///   func values(of file: ContentFile) throws -> [String: ResourceValue] {
///     ["line_count": .integer(Int64(try file.bytes(0..<file.status.size).count { $0 == 10 }))]
///   }
/// }
/// ```
public protocol ContentProvider: Sendable {
  /// By this name scans ask for the values. Keep it stable: it is stored with the roots.
  var key: String { get }

  /// Differs where the same file would have other values: files are then read again. 1 by default.
  var version: Int { get }

  /// The uniform types of the files that it is asked about, with all that conform to them. Any file by
  /// default, which is what none stands for.
  var types: [String] { get }

  /// What it is asked about; regular files by default. It also takes directories and packages, which are
  /// directories, but not the root of a scan itself.
  var kinds: Set<EntryKind> { get }

  /// What the values depend on; the content by default.
  var basis: ContentBasis { get }

  /// After this time it hangs, and its answer is not waited for any more; ten seconds by default. `nil` where
  /// it takes as long as the file is.
  var timeLimit: Duration? { get }

  /// The values of a file, each by its own key and of at most 8 MB; none for a file that it knows nothing of.
  /// Called on several threads at a time.
  ///
  /// - Throws: an `Errno` where the file cannot be read, which the next scan tries again; ``MissingRequirement``
  ///   where no file could be; any other error where the file is not what it says it is, which is told once.
  func values(of file: ContentFile) throws -> [String: ResourceValue]
}

/// When values that were read have to be read again.
public enum ContentBasis: Sendable, Hashable {
  /// When another file is in its place, or its size or the time of its last change are others.
  case content
  /// Also when permissions, names or extended attributes have changed.
  case attributes
}

extension ContentProvider {
  /// 1.
  public var version: Int { 1 }
  /// None: any file.
  public var types: [String] { [] }
  /// Regular files.
  public var kinds: Set<EntryKind> { [.file] }
  /// The content.
  public var basis: ContentBasis { .content }
  /// Ten seconds.
  public var timeLimit: Duration? { .seconds(10) }
}

/// A ``ContentProvider`` cannot work on this system, whatever the file. It is told once a scan, and tried again by
/// the next one.
public struct MissingRequirement: Error, Hashable, CustomStringConvertible {
  /// What there should be, such as the name of a program.
  public let name: String

  /// - Parameter name: what there should be.
  public init(_ name: String) {
    self.name = name
  }

  /// What is missing, to follow the key of the provider.
  public var description: String { "there is no \(name)" }
}

/// A file as a ``ContentProvider`` sees it: open for reading.
public struct ContentFile: Sendable {
  /// The open file, which is closed when the provider has answered. Read it by offsets.
  public let descriptor: FileDescriptor
  /// The values of the file system.
  public let status: FileStatus
  /// Whether nobody waits for the answer any more. Worth asking between the steps of a long way.
  public let isCancelled: @Sendable () -> Bool

  package init(
    _ descriptor: FileDescriptor, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(Errno) {
    self.descriptor = descriptor
    self.isCancelled = isCancelled
    status = try FileStatus(of: descriptor)
  }

  /// An extended attribute; `nil` if there is none of that name, or it may not be read.
  func attribute(_ name: String) throws(Errno) -> [UInt8]? {
    do throws(FileError) {
      return try ExtendedAttributes.value(name, ofOpen: descriptor)
    } catch {
      let absent: [Errno] = [.notSupported, .permissionDenied, .notPermitted]
      if absent.contains(error.errno) { return nil }
      throw error.errno
    }
  }

  /// Some of the bytes; fewer where the file ends before.
  public func bytes(_ range: Range<Int64>) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    let end = min(range.upperBound, status.size)
    do {
      while range.lowerBound + Int64(bytes.count) < end {
        let offset = range.lowerBound + Int64(bytes.count)
        let piece = try [UInt8](unsafeUninitializedCapacity: Int(min(end - offset, 1 << 20))) {
          $1 = try descriptor.read(
            fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer($0))
        }
        if piece.isEmpty { break }
        bytes += piece
      }
      return bytes
    } catch {
      throw error as? Errno ?? .ioError
    }
  }
}

/// Where ``ContentProvider``s work.
public enum ContentHost: Sendable, Hashable {
  /// In this process: one that hangs is left behind, one that crashes ends the process.
  case thisProcess
  /// In processes of a program that calls `Catalog.serveContent(by:)` with the same providers: none of
  /// them can do harm, and their memory is limited.
  case program(FilePath, arguments: [String])
}

/// Why there are no values of a file.
package enum ContentFailure: Error, Hashable, CustomStringConvertible {
  /// It could not be read; the next scan tries again.
  case unreadable(Errno)
  /// It is not what it says it is, in the words of the provider.
  case malformed(String)
  /// The provider has not answered in time.
  case late
  /// The process of the provider has ended, with this.
  case crashed(Int32)
  /// The provider cannot work on this system, whatever the file; the next scan tries again.
  case unavailable(String)
  /// What the process of the provider has answered is no answer.
  case senseless
  /// A value is longer than a catalog can hold, or has a key that is the catalog's own.
  case unstorable
  case cancelled

  package var description: String {
    switch self {
    case .unreadable(let error): error.description
    case .malformed(let reason), .unavailable(let reason): reason
    case .late: "it took too long"
    case .crashed(let status) where status > 128: "the reader was ended by signal \(status - 128)"
    case .crashed(let status): "the reader ended with \(status)"
    case .senseless: "the answer of its reader makes no sense"
    case .unstorable: "a value is longer than a catalog holds, or has a key of its own"
    case .cancelled: "it was stopped"
    }
  }

  /// Whether another try could end otherwise although the file is the same.
  var isPassing: Bool {
    switch self {
    case .unreadable, .unavailable, .cancelled: true
    case .malformed, .late, .crashed, .senseless, .unstorable: false
    }
  }

  /// What the system has said, if it has.
  var errno: Errno? {
    switch self {
    case .unreadable(let error): error
    case .late: .timedOut
    case .malformed, .crashed, .unavailable, .senseless, .unstorable, .cancelled: nil
    }
  }
}

extension ContentProvider {
  /// The values of a file, none of which a catalog could not hold.
  func storableValues(of file: ContentFile) throws(ContentFailure) -> [String: ResourceValue] {
    let values: [String: ResourceValue]
    do {
      values = try self.values(of: file)
    } catch let error as Errno {
      throw .unreadable(error)
    } catch let error as FileError {
      throw .unreadable(error.errno)
    } catch let error as MissingRequirement {
      throw .unavailable(error.description)
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .malformed(String(describing: error))
    }
    try values.requireStorable()
    return values
  }
}

extension [String: ResourceValue] {
  /// Refuses what a catalog cannot hold.
  func requireStorable() throws(ContentFailure) {
    guard values.allSatisfy(\.isStorable), self[TagTable.ownKey] == nil else {
      throw .unstorable
    }
  }
}
