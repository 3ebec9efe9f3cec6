public import FileSystem
public import SystemPackage

/// A difference between two states of an entry.
public struct Change: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    case added, removed, modified, moved
  }

  /// The scan that found it. Of a difference from the disk, the scan whose state differs: the last one of
  /// the root; `nil` where the root was never scanned.
  public var scanID: ScanID?
  /// When that scan ended, or the comparison with the disk began, in seconds since 1970.
  public var at: Int64?
  /// What happened.
  public var kind: Kind
  /// Where the entry is now; for a removed one where it was.
  public var path: FilePath
  /// Where a moved entry was before.
  public var oldPath: FilePath?
  /// The entry's number; `nil` while it has none.
  public var entryID: EntryID?
  /// What the entry is; for a removed one what it was.
  public var entryKind: EntryKind
  /// The columns that differ, named as in the SQL view `files`.
  public var fields: [EntryColumn]
  /// Bytes now; for a removed entry those it had.
  public var size: Int64?
  /// Bytes before; `nil` for an added entry.
  public var oldSize: Int64?

  package init(
    scanID: ScanID? = nil, at: Int64? = nil, kind: Kind, path: FilePath, oldPath: FilePath? = nil,
    entryID: EntryID? = nil,
    entryKind: EntryKind, fields: [EntryColumn], size: Int64? = nil, oldSize: Int64? = nil
  ) {
    self.scanID = scanID
    self.at = at
    self.kind = kind
    self.path = path
    self.oldPath = oldPath
    self.entryID = entryID
    self.entryKind = entryKind
    self.fields = fields
    self.size = size
    self.oldSize = oldSize
  }
}

/// Who made a change, as far as the catalog was told: a program that writes files can so leave out
/// its own changes when it follows a catalog.
public struct ChangeOrigin: RawRepresentable, Sendable, Hashable, Codable {
  /// The text that stands in the catalog.
  public let rawValue: String
  /// An origin with a text of one's own.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// An origin that no other has.
  public static func unique() -> ChangeOrigin {
    let parts = [UInt64.random(in: 0 ... .max), .random(in: 0 ... .max)]
    return ChangeOrigin(rawValue: parts.map { String($0, radix: 16) }.joined(separator: "-"))
  }
}

extension Change.Kind {
  /// As the table `_change_log` has it.
  package var number: Int64 {
    switch self {
    case .added: 1
    case .removed: 2
    case .modified: 3
    case .moved: 4
    }
  }

  package init?(number: Int64) {
    guard let kind = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = kind
  }
}
