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
    /// Neither the environment nor the usual files say who asks for what is in a bucket.
    case noCredentials
    /// The program `curl`, which asks for it, is missing or too old.
    case noClient
    /// The clock of this machine differs so much from the server's that it refuses what is signed.
    case wrongClock
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
  /// What it is about: a path, or the address of an object.
  public let place: String
  /// The reason, in one line for a person.
  public let description: String

  /// The names that there are, where one was given that is not among them, or not one alone.
  public let known: [String]

  package init(
    _ code: Code, _ place: some CustomStringConvertible, known: [String] = [], _ reason: String
  ) {
    self.code = code
    self.place = "\(place)"
    self.known = known
    description = "\(place): \(reason)"
  }
}
