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
    /// No machine has published by a name.
    case unknownHost
  }

  /// The reason, for programs.
  public let code: Code
  /// What it is about.
  public let path: FilePath
  /// The reason, in one line for a person.
  public let description: String

  package init(_ code: Code, _ path: FilePath, _ reason: String) {
    self.code = code
    self.path = path
    description = "\(path.string): \(reason)"
  }
}
