internal import FileSystem
public import SystemPackage

/// Files that are the same: by their content, or so far by name and size.
public struct DuplicateGroup: Sendable, Hashable {
  /// One of the files, at one of its names: hard links of a file are no duplicates of it.
  public struct Member: Sendable, Hashable {
    /// The entry of the file.
    public let id: EntryID
    /// Where it is.
    public let path: FilePath
    /// Its bytes on disk.
    public let allocated: Int64
  }

  /// Bytes of each of the files.
  public let size: Int64
  /// BLAKE2b of the content, 32 bytes; `nil` when it was not compared.
  public let hash: [UInt8]?
  /// The files, in the order in which they came into the catalog.
  public let members: [Member]

  /// Bytes on disk that go when one file stays: the one that takes most.
  public let wasted: Int64

  init(size: Int64, hash: [UInt8]?, members: [Member]) {
    self.size = size
    self.hash = hash
    self.members = members
    var total: Int64 = 0
    for member in members { total.add(clamped: member.allocated) }
    wasted = total - (members.map(\.allocated).max() ?? 0)
  }
}

extension DuplicateGroup {
  /// What to look for among duplicates.
  public struct Request: Sendable, Hashable {
    /// How files are found to be the same.
    public enum Evidence: Sendable, Hashable {
      /// They have the same name and size. Nothing is read from the disk.
      case nameAndSize
      /// They have the same content, whatever their names are.
      case content
    }

    /// How files are found to be the same.
    public var evidence: Evidence
    /// Where to look, with everything below; `nil` for all roots.
    public var directory: FilePath?
    /// Bytes that a file must have; empty files are never looked at.
    public var minimumSize: Int64

    /// Asks for files of the same name and size, unless told otherwise.
    public init(
      _ evidence: Evidence = .nameAndSize, in directory: FilePath? = nil, minimumSize: Int64 = 1
    ) {
      self.evidence = evidence
      self.directory = directory
      self.minimumSize = max(1, minimumSize)
    }

    /// Reads a number of bytes as queries write it: `4096`, `10k`, `5M`, `1GB`.
    ///
    /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument``.
    public static func size(parsing text: String) throws(CatalogError) -> Int64 {
      guard let size = ByteSize(text) else {
        throw CatalogError(
          .invalidArgument,
          "“\(text)” is no number of bytes; expected one such as 4096, 10k, 5M or 1GB")
      }
      return size.bytes
    }
  }
}

extension DuplicateGroup {
  /// What was found.
  public struct Findings: Sendable {
    /// The groups, the one that wastes most first.
    public internal(set) var groups: [DuplicateGroup] = []
    /// What could not be compared: it cannot be read, or is not what the last scan saw.
    public internal(set) var failures: [ScanFailure] = []
    /// How many files were read, in part or whole; the others were known.
    public internal(set) var filesRead = 0

    /// Bytes on disk that go when one file of each group stays.
    public var wasted: Int64 { groups.reduce(into: 0) { $0.add(clamped: $1.wasted) } }
  }
}
