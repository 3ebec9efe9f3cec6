import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How a command ends, as the exit status tells.
enum Outcome: Int32 {
  case done = 0
  /// Nothing matched, or there was nothing to report.
  case nothing = 1
  /// Some directories could not be read.
  case incomplete = 3
  case failed = 4
  case usage = 64
  case interrupted = 130
}

/// A subcommand: does its work and says how it ended; errors become one line and a status here.
protocol Command: AsyncParsableCommand {
  /// What the user has set for all runs.
  static func settings() throws -> Settings

  func execute() async throws -> Outcome
}

extension Command {
  static func settings() throws -> Settings { try Settings.load() }

  mutating func run() async throws {
    let command = self
    let outcome: Outcome
    do {
      outcome = try await Settings.$current.withValue(try Self.settings()) {
        try await command.execute()
      }
    } catch OutputError.readerGone {
      // As in `filecat find | head`: nobody wants the rest.
      outcome = .done
    } catch {
      Message.print(error)
      outcome = Outcome(error)
    }
    if outcome != .done { throw ExitCode(outcome.rawValue) }
  }
}

extension Outcome {
  init(_ error: any Error) {
    switch error {
    case is QueryError, is StatementError, is SortOrder.ParseError, is ValidationError:
      self = .usage
    case let error as CatalogError: self = Outcome(error.code)
    case let error as FleetError where [.unknownHost, .ambiguousHost].contains(error.code):
      self = .usage
    case let error as TypeLookupError: self = error.outcome
    case let error as DirectoryError: self = Outcome(error)
    // A file that cannot be used is a failure, one that says something wrong wrong usage.
    case let error as SettingsError: self = error.line == nil ? .failed : .usage
    case is CancellationError: self = .interrupted
    default: self = .failed
    }
  }

  private init(_ error: DirectoryError) {
    switch error {
    case .unavailable, .unknownAppGroup: self = .nothing
    case .refusedName, .refusedPath, .unknownRole, .unknownStyle, .missingParameter,
      .unknownParameter, .refusedParameter:
      self = .usage
    case .unknownHome, .unknownExecutable, .cannotCreate, .readOnly: self = .failed
    }
  }

  private init(_ code: CatalogError.Code) {
    switch code {
    case .unknownColumn, .invalidArgument, .invalidExclusion, .exclusionNotFound, .invalidCursor,
      .foreignCursor, .notKept, .stateNotKept, .ambiguousContainer, .invalidSQL, .notReadOnlySQL,
      .searchNotFound, .reportNotFound, .viewNotFound, .scanNotFound, .noRoots:
      self = .usage
    case .notInCatalog, .notARoot, .containerNotFound: self = .nothing
    case .interrupted: self = .interrupted
    default: self = .failed
    }
  }
}

/// Messages to the person, on standard error.
enum Message {
  static func print(_ line: DisplayText, _ more: [DisplayText] = []) {
    // Where not even an error can be written there is nothing left to tell.
    try? StandardStream.error.print(["filecat: \(line)"] + more)
  }

  /// Names the files of type declarations that are left out, a line each; single entries are a matter
  /// for `types check`.
  static func print(leftOut diagnostics: [TypeDiagnostic]) {
    for diagnostic in diagnostics where diagnostic.concernsFile { print(diagnostic) }
  }

  static func print(_ failure: ScanFailure) {
    print("\(Advice.line(for: failure))")
  }

  static func print(_ error: any Error) {
    switch error {
    case let error as QueryError: print("the query does not parse", error.lines)
    case let error as StatementError:
      print("\(RawArguments.shown(error.message))", error.excerpt)
    case let error as ValidationError: print("\(RawArguments.shown(error.message))")
    case let error as TypeDiagnostic: print("\(Advice.line(for: error))")
    default: print("\(RawArguments.shown(Advice.line(for: error)))")
    }
  }
}

extension QueryError {
  /// The query with a caret under the fault, then what is wrong and what was expected.
  fileprivate var lines: [DisplayText] {
    let excerpt = FaultExcerpt(of: query, around: range)
    let hint = suggestion.map { "; \(Advice.didYouMean($0))" } ?? ""
    return [excerpt.text, excerpt.marks, "\(message)\(hint)", "expected \(expected)"]
  }
}
