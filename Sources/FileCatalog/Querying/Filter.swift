/// A condition on one entry of the catalog.
///
/// Conditions are combined with `&&`, `||` and `!`:
///
/// ```swift
/// let filter: Filter = .conformsTo("public.image") && !.date(.modified, .youngerThan(.days(7)))
/// ```
///
/// A condition on something that is not known of an entry (a missing birth time, say) is not
/// met; its negation is.
public indirect enum Filter: Hashable, Sendable {
  /// Every entry.
  case all
  /// Entries that meet all of these.
  case and([Filter])
  /// Entries that meet one of these at least.
  case or([Filter])
  /// Entries that do not meet this.
  case not(Filter)

  /// The name matches.
  case name(TextPattern)
  /// The path below the root matches; it has no leading slash.
  case path(TextPattern)
  /// The text after the last dot is one of these. An empty text stands for entries without an
  /// extension; one that contains dots (`tar.gz`) for names that end in it.
  case extensions([ExactString])
  /// The entry is of one of these kinds.
  case kinds([QueryKind])
  /// The type has exactly this identifier.
  case type(ExactString)
  /// The type conforms to the one with this identifier.
  case conformsTo(ExactString)

  /// Bytes of content.
  case size(ValueRange<Int64>)
  /// Bytes taken on disk.
  case allocated(ValueRange<Int64>)
  /// A time stamp.
  case date(DateField, DateRange)

  /// The name of the owning user.
  case owner(ExactString)
  /// The name of the owning group.
  case group(ExactString)
  /// The number of the owning user.
  case uid(ValueRange<Int64>)
  /// The number of the owning group.
  case gid(ValueRange<Int64>)
  /// The permission bits.
  case mode(ModeTest)

  /// Steps below the root; the children of a root have depth 1.
  case depth(ValueRange<Int64>)
  /// Number of hard links.
  case links(ValueRange<Int64>)
  /// A yes-or-no property.
  case flag(FileFlag)

  /// The role of the standard directory that holds the entry, such as `caches`.
  case role(ExactString)
  /// The container that holds the entry.
  case container(ExactString)
  /// The backup policy of the entry.
  case backup(ExactString)
  /// The scale in an asset's name, such as 2 for `image@2x.png`; positive and finite.
  case scale(Double)
  /// The idiom in an asset's name, such as `ipad` for `image~ipad.png`.
  case idiom(ExactString)
  /// A tag from the extended attributes.
  case tag(ExactString)
}

/// A time stamp of an entry.
public enum DateField: String, CaseIterable, Hashable, Sendable {
  /// When the content was last changed.
  case modified
  /// When the entry was made; not known on every file system.
  case created
  /// When the content was last read.
  case accessed
  /// When the metadata was last changed.
  case changed
}

/// A property that an entry has or has not.
public enum FileFlag: String, CaseIterable, Hashable, Sendable {
  /// A file without bytes or a directory without entries.
  case empty
  /// Hidden by the rules of the platform.
  case hidden
  /// A symbolic link without a target.
  case broken
  /// The system may delete it when space is short.
  case purgeable
}

/// A test of permission bits, with the meaning of `find -perm`.
///
/// Only the lowest twelve bits count (`0o7777`).
public enum ModeTest: Hashable, Sendable {
  /// The bits are exactly these: `mode:644`.
  case exactly(UInt16)
  /// All of these bits are set: `mode:-022`.
  case all(UInt16)
  /// One of these bits is set at least: `mode:/022`. As in `find`, no bits at all match anything.
  case any(UInt16)

  /// Whether the permission bits of an entry pass.
  public func matches(_ mode: UInt16) -> Bool {
    switch self {
    case .exactly(let bits): mode & 0o7777 == bits & 0o7777
    case .all(let bits): mode & bits & 0o7777 == bits & 0o7777
    case .any(let bits): bits & 0o7777 == 0 || mode & bits & 0o7777 != 0
    }
  }
}
