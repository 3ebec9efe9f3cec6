/// What a directory of a container is for.
///
/// The raw values are stable names: they are stored, queried and typed.
public enum Role: String, CaseIterable, Sendable, Codable {
  /// What the user made, visible to the user.
  case documents
  /// What the application keeps out of sight; a parent of other roles on Apple's systems.
  case library
  /// What can be made again.
  case caches
  /// What the application needs and the user does not see.
  case applicationSupport = "application_support"
  /// Settings. They belong to the system's settings service.
  case preferences
  /// What can be fetched again but must survive until then, so that work goes on offline.
  case offlineData = "offline_data"
  /// What a run of the program leaves behind, such as histories and logs (XDG only).
  case state
  /// What is needed only while a program runs.
  case temporary = "tmp"
  /// What was installed with the application and is only read.
  case resources

  /// The role of a name that a person typed.
  ///
  /// - Throws: ``DirectoryError/unknownRole(_:suggestion:)`` with the role that was likely meant.
  public init(named name: String) throws(DirectoryError) {
    guard let role = Role(rawValue: name) else {
      throw .unknownRole(name, suggestion: Role.nearest(to: name))
    }
    self = role
  }

  /// The role whose name differs by the fewest letters, if those are few.
  private static func nearest(to name: String) -> Role? {
    let distances = allCases.map { role in
      (role: role, letters: Array(role.rawValue).difference(from: Array(name.lowercased())).count)
    }
    let allowed = max(2, min(name.count, 32) / 2)
    return distances.filter { $0.letters <= allowed }.min { $0.letters < $1.letters }?.role
  }
}
