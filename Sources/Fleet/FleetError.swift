public import SystemPackage

/// Why a lake could not be read or written.
public struct FleetError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason, for programs.
  public enum Code: Sendable, Hashable {
    /// Something in the lake could not be read.
    case cannotRead
    /// Something could not be written into the lake.
    case cannotWrite
    /// A record is none that a publisher can have written.
    case invalidRecord
    /// A record was written by a newer version.
    case newerVersion
    /// The lake knows later states of the catalog than it has: it was put back to an older one, or is one
    /// of two copies that both publish.
    case diverged
    /// Somebody else is publishing the catalog.
    case busy
    /// No machine, or catalog, of this name has published.
    case unknownHost
    /// Several catalogs have the name, or none was named of several.
    case ambiguousHost
    /// No state of the catalog is known: there is no full publication.
    case unknownState
    /// A file is not what its record says, or what can be in one.
    case damaged
  }

  /// The reason, for programs.
  public let code: Code
  /// What it is about.
  public let path: FilePath
  /// The reason, in one line for a person.
  public let description: String

  /// The names that there are, where one was given that is not among them, or not one alone.
  public let known: [String]

  package init(_ code: Code, _ path: FilePath, known: [String] = [], _ reason: String) {
    self.code = code
    self.path = path
    self.known = known
    description = "\(path.string): \(reason)"
  }
}
