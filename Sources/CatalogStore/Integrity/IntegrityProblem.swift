/// Something in a catalog that is not as it must be.
public struct IntegrityProblem: Sendable, Hashable, CustomStringConvertible {
  /// Which rule is broken.
  public enum Rule: String, Sendable, Hashable {
    /// SQLite found the file damaged.
    case file
    /// A value is of another kind than its column, or out of the range of what it stands for.
    case value
    /// A root lies in another one, so that its entries stand twice, or has not its own row.
    case root
    /// A row refers to one that is not there.
    case reference
    /// The path of a directory does not follow from the names above it.
    case path
    /// The sums of a directory are not those of its content.
    case totals
    /// What rescans tell an unchanged directory by does not follow from its rows.
    case fingerprint
    /// What names are looked for in does not follow from the rows.
    case names
  }

  /// The rule that is broken.
  public let rule: Rule
  /// Where it is broken, in one line.
  public let description: String
  /// What makes up for it, if anything does.
  package let remedy: Remedy?
}

/// Something that was wrong in a catalog, and what was done about it.
public struct IntegrityRepair: Sendable, Hashable {
  /// What was wrong.
  public let problem: IntegrityProblem
  /// What was done about it, in one line.
  public let action: String

  package init(problem: IntegrityProblem, action: String) {
    self.problem = problem
    self.action = action
  }
}

/// What makes up for a problem of a catalog, without a look at the disk.
///
/// What follows from other rows is made anew. What does not is dropped, for the next scan to make it.
package enum Remedy: Sendable, Hashable {
  case rebuildIndex(String)
  /// Rows that scans fill in as they go, that nothing refers to, or that are in the way of scans.
  case removeRows(table: String, condition: String)
  /// The volumes that roots are on, of which the catalog has no row.
  case forgetVolumes
  /// What a root leaves out.
  case forgetExcludes(root: Int64)
  /// A root that cannot be one.
  case dropRoot(Int64)
  /// All entries of a root, but not the root.
  case dropEntries(root: Int64)
  case dropAllEntries
  case settlePlaces
  case sumUp(root: Int64)
  case sumUpAll
  /// What entries of a kind come to, for reports.
  case sumUpUsage
  /// What names are looked for in.
  case rebuildNames
  /// The fingerprints of a root that are not those of the rows: the next scan compares row by row.
  case dropFingerprints(root: Int64)

  /// Whether it is about what is made of rows, which have to be right for that.
  package var isOfSums: Bool {
    switch self {
    case .sumUp, .sumUpAll, .sumUpUsage, .rebuildNames, .dropFingerprints: true
    default: false
    }
  }
}
