public import TextMatching
public import UniformTypes

/// A condition on one entry of a catalog.
///
/// Conditions are combined with `&&`, `||` and `!`:
///
/// ```swift
/// let filter: Filter = .conforms(to: .image) && !.modified(.youngerThan(.days(7)))
/// ```
///
/// A condition on something that is not known of an entry (a missing birth time, say) is not
/// met; its negation is.
public struct Filter: Hashable, Sendable {
  /// What the filter asks for. Clients do not see it, so that terms can be added.
  let condition: Condition

  init(_ condition: Condition) {
    self.condition = condition
  }
}

// MARK: - Combining

extension Filter {
  /// Every entry.
  public static let all = Filter(.everything)

  /// No entry at all.
  public static let nothing = Filter(.not(.all))

  /// Returns a filter for entries that meet all of these; every entry does if there are none.
  public static func all(_ filters: [Filter]) -> Filter { Filter(.all(filters)) }

  /// Returns a filter for entries that meet one of these at least.
  public static func any(_ filters: [Filter]) -> Filter { Filter(.any(filters)) }

  /// Returns a filter for entries that do not meet this.
  public static func not(_ filter: Filter) -> Filter { Filter(.not(filter)) }

  /// Returns a filter for entries that meet both conditions.
  public static func && (left: Filter, right: Filter) -> Filter {
    switch (left.condition, right.condition) {
    case (.all(let first), .all(let second)): .all(first + second)
    case (.all(let first), _): .all(first + [right])
    case (_, .all(let second)): .all([left] + second)
    default: .all([left, right])
    }
  }

  /// Returns a filter for entries that meet one of the conditions at least.
  public static func || (left: Filter, right: Filter) -> Filter {
    switch (left.condition, right.condition) {
    case (.any(let first), .any(let second)): .any(first + second)
    case (.any(let first), _): .any(first + [right])
    case (_, .any(let second)): .any([left] + second)
    default: .any([left, right])
    }
  }

  /// Returns a filter for entries that do not meet the condition.
  public static prefix func ! (filter: Filter) -> Filter { .not(filter) }
}

// MARK: - Names and types

extension Filter {
  /// Returns a filter for entries whose name matches.
  ///
  /// No name has a slash. A pattern with one is compared with the whole path: from its beginning if the slash
  /// comes first (`/usr/include/*.h`), else from the beginning of any component on (`include/*.h`). A
  /// glob and a text to be met exactly go to the end of the path; of a part of a text, the path may go on.
  public static func name(_ pattern: TextPattern) -> Filter { Filter(.text(.name, pattern)) }

  /// Returns a filter for entries whose name matches a glob, such as `*.swift`.
  public static func name(_ glob: String) -> Filter { .name(.glob(glob)) }

  /// Returns a filter for entries whose path below the root matches; it has no leading slash. A pattern with
  /// one is compared with the whole path.
  public static func path(_ pattern: TextPattern) -> Filter { Filter(.text(.path, pattern)) }

  /// Returns a filter for entries whose extension, the text after the last dot, is one of these.
  ///
  /// An empty text stands for entries without an extension; one that contains dots (`tar.gz`) for
  /// names that end in it.
  public static func extensions(_ extensions: [String]) -> Filter {
    Filter(.extensions(extensions.map(ExactString.init)))
  }

  /// Returns a filter for entries of one of these kinds.
  public static func kinds(_ kinds: [Kind]) -> Filter { Filter(.kinds(kinds)) }

  /// Returns a filter for entries of this kind.
  public static func kind(_ kind: Kind) -> Filter { .kinds([kind]) }

  /// Returns a filter for entries whose type has exactly this identifier.
  public static func type(_ identifier: String) -> Filter { word(.type, identifier) }

  /// Returns a filter for entries whose type conforms to the one with this identifier.
  public static func conforms(to identifier: String) -> Filter { word(.conformsTo, identifier) }

  /// Returns a filter for entries whose type conforms to one that is known by name, such as
  /// `.image`.
  public static func conforms(to type: UniformType) -> Filter { .conforms(to: type.identifier) }

  private static func word(_ field: WordField, _ word: String) -> Filter {
    Filter(.word(field, ExactString(word)))
  }
}

// MARK: - Numbers

extension Filter {
  /// Returns a filter by bytes of content.
  public static func size(_ range: ValueRange<Int64>) -> Filter { Filter(.number(.size, range)) }

  /// Returns a filter for entries with less content than this: `.size(..<10.megabytes)`.
  public static func size(_ range: PartialRangeUpTo<Int64>) -> Filter {
    .size(.lessThan(range.upperBound))
  }

  /// Returns a filter for entries with content of a size in this range:
  /// `.size(1.kibibytes...4.kibibytes)`.
  public static func size(_ range: ClosedRange<Int64>) -> Filter { .size(ValueRange(range)) }

  /// Returns a filter by bytes taken on disk.
  public static func allocated(_ range: ValueRange<Int64>) -> Filter {
    Filter(.number(.allocated, range))
  }

  /// Returns a filter for entries that take less on disk than this.
  public static func allocated(_ range: PartialRangeUpTo<Int64>) -> Filter {
    .allocated(.lessThan(range.upperBound))
  }

  /// Returns a filter for entries that take a number of bytes in this range on disk.
  public static func allocated(_ range: ClosedRange<Int64>) -> Filter {
    .allocated(ValueRange(range))
  }

  /// Returns a filter by steps below the root; the children of a root have depth 1.
  public static func depth(_ range: ValueRange<Int64>) -> Filter { Filter(.number(.depth, range)) }

  /// Returns a filter by the number of hard links.
  public static func links(_ range: ValueRange<Int64>) -> Filter { Filter(.number(.links, range)) }

  /// Returns a filter by the number of the owning user.
  public static func uid(_ range: ValueRange<Int64>) -> Filter { Filter(.number(.uid, range)) }

  /// Returns a filter by the number of the owning group.
  public static func gid(_ range: ValueRange<Int64>) -> Filter { Filter(.number(.gid, range)) }
}

// MARK: - Dates

extension Filter {
  /// Returns a filter by a time stamp.
  public static func date(_ field: DateField, _ range: DateRange) -> Filter {
    Filter(.date(field, range))
  }

  /// Returns a filter for entries whose content was last changed in this range.
  public static func modified(_ range: DateRange) -> Filter { .date(.modified, range) }

  /// Returns a filter for entries that were made in this range.
  public static func created(_ range: DateRange) -> Filter { .date(.created, range) }

  /// Returns a filter for entries whose content was last read in this range.
  public static func accessed(_ range: DateRange) -> Filter { .date(.accessed, range) }

  /// Returns a filter for entries whose metadata was last changed in this range.
  public static func changed(_ range: DateRange) -> Filter { .date(.changed, range) }
}

// MARK: - Owners, permissions and properties

extension Filter {
  /// Returns a filter by the name of the owning user.
  public static func owner(_ name: String) -> Filter { word(.owner, name) }

  /// Returns a filter by the name of the owning group.
  public static func group(_ name: String) -> Filter { word(.group, name) }

  /// Returns a filter by the permission bits.
  public static func mode(_ test: ModeTest) -> Filter { Filter(.mode(test)) }

  /// Returns a filter for entries that have a property.
  public static func flag(_ flag: Flag) -> Filter { Filter(.flag(flag)) }

  /// Returns a filter for entries with this tag, be it among their extended attributes or in the catalog alone.
  public static func tag(_ tag: String) -> Filter { word(.tag, tag) }
}

// MARK: - Containers and assets

extension Filter {
  /// Returns a filter by the role of the standard directory that holds the entry, such as
  /// `caches`.
  public static func role(_ role: String) -> Filter { word(.role, role) }

  /// Returns a filter by the name, identifier or path of the container that holds the entry.
  public static func container(_ name: String) -> Filter { word(.container, name) }

  /// Returns a filter by the backup policy of the entry: `included` or `excluded`.
  public static func backup(_ policy: String) -> Filter { word(.backup, policy) }

  /// Returns a filter by the scale in an asset's name, such as 2 for `image@2x.png`; positive and
  /// finite.
  public static func scale(_ scale: Double) -> Filter { Filter(.scale(scale)) }

  /// Returns a filter by the idiom in an asset's name, such as `ipad` for `image~ipad.png`.
  public static func idiom(_ idiom: String) -> Filter { word(.idiom, idiom) }
}

// MARK: - What is asked for

extension Filter {
  /// What a filter asks for. Terms that are read, written and compiled alike are one case with a
  /// field; the raw value of a field is the key of its term.
  indirect enum Condition: Hashable, Sendable {
    case everything
    case all([Filter])
    case any([Filter])
    case not(Filter)
    case text(TextField, TextPattern)
    case extensions([ExactString])
    case kinds([Kind])
    case number(NumberField, ValueRange<Int64>)
    case date(DateField, DateRange)
    case word(WordField, ExactString)
    case mode(ModeTest)
    case scale(Double)
    case flag(Flag)
    case value(ValueTest)
  }

  /// A text of an entry that is compared with a pattern.
  enum TextField: String, Hashable, Sendable {
    case name, path
  }

  /// A number of an entry; the raw value is also the name of its column.
  enum NumberField: String, Hashable, Sendable {
    case size, allocated, depth, links, uid, gid
  }

  /// A word of an entry, or of what it belongs to.
  enum WordField: String, Hashable, Sendable {
    case type
    case conformsTo = "is"
    case owner, group, tag
    case role, container, backup, idiom
  }

  /// How much the filter itself counts towards ``Query/Limits/terms``.
  var termCount: Int {
    switch condition {
    case .all, .any, .not: 0
    case .extensions(let list): list.count
    case .kinds(let list): list.count
    default: 1
    }
  }
}
