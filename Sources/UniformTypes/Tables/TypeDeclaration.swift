/// A declaration made of strings: what user files and shared-mime-info are turned into before they
/// join a registry.
struct TypeDeclaration: Sendable {
  struct Tag: Sendable, Hashable {
    var text: String
    var kind: TagKind
    /// Preference among declarations of one source; 1 is first.
    var rank: UInt8 = 1
  }

  /// Lower case.
  var identifier: String
  var source: TypeSource
  var parents: [String] = []
  var tags: [Tag] = []
  var description: String?
  var version: Int?
  var referenceURL: String?
  /// Declared as a package by LSTypeIsPackage; conformance to com.apple.package says it too.
  var isPackage = false
  /// Where it was written, for diagnostics.
  var file = ""
  var keyPath = ""
}

/// Something wrong with a declaration, named well enough to be mended.
///
/// A diagnostic never stops the loading of the rest: the entry it names is refused, or only the
/// tag, and everything else counts.
public struct TypeDiagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// The file cannot be read, is neither a property list nor JSON, or has more in it than can be
    /// meant well; the text says which.
    case unreadableFile(String)
    /// The value of the key has the wrong form; the text says which one is expected.
    case malformedValue(expected: String)
    /// The identifier breaks the grammar: ASCII letters, digits, "-", "." and characters beyond
    /// ASCII.
    case invalidIdentifier(String)
    /// The identifier belongs to Apple ("public.…") or describes itself ("dyn.…").
    case reservedIdentifier(String)
    /// The type conforms to one that nobody declares.
    case unknownParent(identifier: String, parent: String)
    /// The type would conform to itself; the path leads from it back to it.
    case cycle([String])
    /// The type conforms to more types, directly or not, than a type may.
    case tooManySupertypes(identifier: String, limit: Int)
    /// The same identifier is declared twice in the same layer; the first one counts, the tags of
    /// both are united.
    case duplicateIdentifier(String)
    /// The tag is empty or has a byte that no tag of its class can have.
    case invalidTag(identifier: String, tag: String)
    /// Two declarations of the same layer claim a tag; the first one has it.
    case conflictingTag(tag: String, winner: String, loser: String)
    /// With those before it, the type would have the layer compare names with more patterns than there
    /// may be.
    case tooManyPatterns(identifier: String, limit: Int)
    /// The registry is full.
    case tooManyTypes
  }

  /// What is wrong.
  public let problem: Problem
  /// The path of the file, or the name of the layer.
  public let file: String
  /// The place in the file, such as `UTExportedTypeDeclarations[2].UTTypeConformsTo`.
  public let keyPath: String

  /// Whether the whole file is left out.
  public var concernsFile: Bool {
    switch problem {
    case .unreadableFile: true
    case .malformedValue: keyPath.isEmpty
    default: false
    }
  }

  /// Whether the entry still counts as far as possible.
  public var isWarning: Bool {
    switch problem {
    case .duplicateIdentifier, .conflictingTag: true
    default: false
    }
  }

  /// One line for a terminal: file, key, problem.
  public var description: String {
    let place = keyPath.isEmpty ? file : "\(file): \(keyPath)"
    return "\(place): \(problemText)"
  }

  private var problemText: String {
    switch problem {
    case .unreadableFile(let reason):
      "cannot be read: \(reason)"
    case .malformedValue(let expected):
      "expected \(expected)"
    case .invalidIdentifier(let identifier):
      "'\(identifier)' is not a type identifier: one has letters, digits, '-' and '.' only"
    case .reservedIdentifier(let identifier):
      "'\(identifier)' is reserved, as are all that begin with 'public.' or 'dyn.'"
    case .unknownParent(let identifier, let parent):
      "'\(identifier)' conforms to '\(parent)', which is not declared"
    case .cycle(let path):
      "conformance goes in a circle: \(path.joined(separator: " > "))"
    case .tooManySupertypes(let identifier, let limit):
      "'\(identifier)' conforms to more than \(limit) types"
    case .duplicateIdentifier(let identifier):
      "'\(identifier)' is declared twice; the first declaration counts"
    case .invalidTag(let identifier, let tag):
      "'\(tag)' cannot be a tag of '\(identifier)'"
    case .conflictingTag(let tag, let winner, let loser):
      "'\(tag)' belongs to '\(winner)'; '\(loser)' claims it too"
    case .tooManyPatterns(let identifier, let limit):
      "'\(identifier)' and those before it have more than \(limit) patterns for names"
    case .tooManyTypes:
      "the registry is full; the declaration is left out"
    }
  }
}

/// What identifiers may look like.
enum IdentifierGrammar {
  /// As long as the dynamic identifier of the longest extension, with something to spare.
  private static let longest = 1_000

  /// ASCII letters, digits, "-", "." and everything beyond ASCII; no empty component.
  static func isValid(_ identifier: String) -> Bool {
    let bytes = Array(identifier.utf8)
    guard bytes.count <= longest,
      bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        .allSatisfy({ !$0.isEmpty })
    else { return false }
    return bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...:
        true
      default:
        false
      }
    }
  }
}

/// What the tags of each class may look like.
enum TagGrammar {
  /// No name of a file is longer, so no longer tag of names could ever be met.
  private static let longestName = 255
  /// Room for a MIME type with parameters.
  private static let longest = 1_000
  /// The most components of an extension: `tar.gz` has two. For each a scan looks anew.
  private static let mostComponents = 8
  /// The most patterns of a layer: each name without a known extension may be compared with all of them.
  static let mostPatterns = 500

  static func isValid(_ tag: String, _ kind: TagKind) -> Bool {
    isValid(tag.utf8, kind)
  }

  static func isValid(_ bytes: some BidirectionalCollection<UInt8>, _ kind: TagKind) -> Bool {
    guard (1...longest).contains(bytes.count) else { return false }
    switch kind {
    case .filenameExtension:
      return bytes.count <= longestName && bytes.first != UInt8(ascii: ".")
        && bytes.last != UInt8(ascii: ".")
        && !bytes.contains { $0 == 0x2F || $0 == 0 || $0 == 0x20 }
        && bytes.count { $0 == UInt8(ascii: ".") } < mostComponents
    case .mimeType, .osType:
      return !bytes.contains(0)
    case .name, .pattern:
      return bytes.count <= longestName && !bytes.contains { $0 == 0x2F || $0 == 0 }
    }
  }
}
