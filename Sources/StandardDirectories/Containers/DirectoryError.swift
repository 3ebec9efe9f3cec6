public import SystemPackage

/// Why a directory of a container cannot be named or made.
public enum DirectoryError: Error, Hashable, Sendable {
  /// The name of a directory is empty, `.` or `..`, or contains a slash or NUL.
  case refusedName(String)
  /// A relative path is absolute, empty, or leads out of its directory.
  case refusedPath(String)
  /// Containers of this style have no directory of this role.
  case unavailable(Role, Container.Style)
  /// No role has this name.
  case unknownRole(String, suggestion: Role?)
  /// No style of containers has this name.
  case unknownStyle(String)
  /// No app group of this identifier is configured.
  case unknownAppGroup(String)
  /// Neither `HOME` nor the account says where the home directory is.
  case unknownHome
  /// The system refused to make the directory.
  case cannotCreate(FilePath, Errno)
}

extension DirectoryError: CustomStringConvertible {
  /// One line for a person that names what is wrong.
  public var description: String {
    switch self {
    case .refusedName(let name):
      "\"\(name.visible)\" cannot name a directory: use a name that is not empty, \".\" or \"..\", "
        + "without \"/\" and NUL"
    case .refusedPath(let path):
      "\"\(path.visible)\" does not stay inside the directory: use a relative path without \"..\""
    case .unavailable(let role, let style):
      "containers of style \(style.rawValue) have no directory for \(role.rawValue): "
        + "name one when registering the container, or use another role"
    case .unknownRole(let name, let suggestion?):
      "no role is called \"\(name.visible)\": did you mean \(suggestion.rawValue)?"
    case .unknownRole(let name, nil):
      "no role is called \"\(name.visible)\": use one of "
        + Role.allCases.map(\.rawValue).joined(separator: ", ")
    case .unknownStyle(let name):
      "no style of containers is called \"\(name.visible)\": use one of "
        + Container.Style.allCases.map(\.rawValue).joined(separator: ", ")
    case .unknownAppGroup(let identifier):
      "no app group \"\(identifier.visible)\" is configured: name its directory first"
    case .unknownHome:
      "the home directory is unknown: set HOME to an absolute path"
    case .cannotCreate(let path, let errno):
      "\(path.string.visible): cannot create the directory: \(errno)"
    }
  }
}

extension String {
  /// Without characters that would break the line they are printed in.
  fileprivate var visible: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }
}
