public import SystemPackage

/// Why a directory of a container cannot be named or made.
public enum DirectoryError: Error, Hashable, Sendable {
  /// The name of a directory is empty, `.` or `..`, or contains a slash or NUL.
  case refusedName(String)
  /// A relative path is absolute, empty, or leads out of its directory.
  case refusedPath(FilePath)
  /// Containers of this style have no directory of this role.
  case unavailable(Role, Container.Style)
  /// No role has this name.
  case unknownRole(String, suggestion: Role?)
  /// No style of containers has this name.
  case unknownStyle(String)
  /// No app group of this identifier is configured.
  case unknownAppGroup(String)
  /// A parameter of the role's directory has no value.
  case missingParameter(String)
  /// The role's directory has no parameter of this name.
  case unknownParameter(String, Role)
  /// The value would be read as another one, or leads elsewhere.
  case refusedParameter(String, String)
  /// The files of this role are only read.
  case readOnly(Role)
  /// Neither `HOME` nor the account says where the home directory is.
  case unknownHome
  /// The system does not say which program this process runs.
  case unknownExecutable
  /// The system refused to make the directory.
  case cannotCreate(FilePath, Errno)
}

extension DirectoryError: CustomStringConvertible {
  /// What is the case, in one line for a person.
  public var description: String {
    switch self {
    case .refusedName(let name):
      "\"\(name.visible)\" cannot name a directory: it is empty, \".\" or \"..\", or has \"/\" or NUL in it"
    case .refusedPath(let path):
      "\"\(path.string.visible)\" does not stay inside the directory"
    case .unavailable(let role, let style):
      "containers of style \(style.rawValue) have no directory for \(role.name)"
    case .unknownRole(let name, _):
      "no role is called \"\(name.visible)\""
    case .unknownStyle(let name):
      "no style of containers is called \"\(name.visible)\""
    case .unknownAppGroup(let identifier):
      "no app group \"\(identifier.visible)\" is configured"
    case .missingParameter(let name):
      "the directory of the role has a parameter {\(name)}, which has no value"
    case .unknownParameter(let name, let role):
      "the directory of \(role.name) has no parameter {\(name.visible)}"
    case .refusedParameter(let name, let value):
      "\"\(value.visible)\" cannot be the value of {\(name)}: the directory would be read otherwise"
    case .readOnly(let role): "what is in \(role.name) is only read"
    case .unknownHome:
      "the home directory is unknown: neither HOME nor the account names an absolute path"
    case .unknownExecutable: "the system does not say which program this process runs"
    case .cannotCreate(let path, let errno):
      "\(path.string.visible): cannot create the directory: \(errno)"
    }
  }
}

extension String {
  /// Without characters that would break the line they are printed in.
  var visible: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }
}
