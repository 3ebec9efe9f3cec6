import FileCatalog
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A program beside this one that takes its place: what only one subcommand needs is not loaded by all.
struct CompanionProgram {
  /// Why it did not take its place.
  enum Failure: Error, CustomStringConvertible {
    case missing(FilePath)
    case failed(FilePath, Errno)

    var description: String {
      switch self {
      case .missing(let program): "there is no \(program.string)"
      case .failed(let program, let reason): "\(program.string) cannot be started: \(reason)"
      }
    }
  }

  /// The file of this program.
  static var own: FilePath {
    FilePath("/proc/self/exe").resolved ?? FilePath(CommandLine.arguments[0])
  }

  private let program: FilePath

  init(_ name: String) {
    program = Self.own.removingLastComponent().appending(name)
  }

  /// Becomes the program.
  ///
  /// - Returns: why it has not.
  func become(_ words: [FilePath]) -> Failure {
    guard program.withPlatformString({ access($0, X_OK) }) == 0 else { return .missing(program) }
    var arguments = ([program] + words).map { $0.withPlatformString { strdup($0) } } + [nil]
    defer { for argument in arguments { free(argument) } }
    program.withPlatformString { _ = execv($0, &arguments) }
    return .failed(program, Errno(rawValue: errno))
  }
}
