import FileCatalog
import SystemPackage

/// What a person can do about an error. The libraries state facts; how to go on from there is said
/// in words of this command, and here alone.
enum Advice {
  /// The line that tells of an error: what is the case, then what to do about it.
  static func line(for error: any Error) -> String {
    switch error {
    case let error as CatalogError where error.code == .invalidExclusion:
      "--exclude \(error)"
    case let error as CatalogError:
      joined("\(error)", advice(on: error))
    case let error as TypeInstallationError:
      joined("\(error)", advice(on: error))
    default:
      "\(error)"
    }
  }

  /// What a report tells, and which command tells more.
  static func line(for report: Report) -> String {
    guard report.name == "duplicate_candidates", report.abstract.hasSuffix(".") else {
      return report.abstract
    }
    return report.abstract.dropLast() + "; “filecat duplicates --hash” compares their content."
  }

  private static func joined(_ fact: String, _ advice: String?) -> String {
    advice.map { "\(fact); \($0)" } ?? fact
  }

  private static func advice(on error: CatalogError) -> String? {
    if let nearest = error.nearest { return "did you mean “\(nearest)”?" }
    switch error.code {
    case .catalogNotFound: return "make one with: filecat scan DIRECTORY"
    case .cannotCreate: return "name another place with --catalog"
    case .notACatalog: return "name another file with --catalog, or move it away"
    case .olderSchema:
      return "scan anew into another file with --catalog, or move this one away"
    case .newerSchema: return "update filecat or use another catalog"
    case .noRoots: return "name one: filecat scan DIRECTORY"
    case .notARoot: return "see: filecat roots"
    case .rootNotFound: return advice(onMissing: error.root)
    case .tooManyRemoved: return "accept the loss with --allow-empty"
    case .differentVolume: return "accept it with --allow-empty"
    case .notInCatalog: return advice(onUnknown: error.path, in: error.root)
    case .containerNotFound: return "see: filecat containers list"
    case .viewNotFound: return "see them all with: filecat schema"
    case .reportNotFound: return "see them all with: filecat report"
    case .searchNotFound:
      return error.known.isEmpty
        ? "save one: filecat find --save NAME QUERY" : "there are: \(list(error.known))"
    case .unknownColumn: return "known: \(list(error.known))"
    case .invalidCursor: return "take the one that the page before printed, or “start”"
    case .cursorTooOld: return "begin again with “start”"
    case .notReadOnlySQL: return "to change the file use the sqlite3 program"
    case .timedOut: return "allow more with --timeout SECONDS"
    default: return nil
    }
  }

  private static func advice(onMissing root: FilePath?) -> String {
    root.map { "mount it and scan again, or drop it with: filecat forget \($0.string)" }
      ?? "check the spelling"
  }

  private static func advice(onUnknown path: FilePath?, in root: FilePath?) -> String? {
    root.map { "if it is there, scan again: filecat scan \($0.string)" }
      ?? path.map { "scan it: filecat scan \($0.string)" }
  }

  private static func advice(on error: TypeInstallationError) -> String? {
    switch error.code {
    case .alreadyInstalled: "rename the file, or replace it with --replace"
    default: nil
    }
  }

  private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
