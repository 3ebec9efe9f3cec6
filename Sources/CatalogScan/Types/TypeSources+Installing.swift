internal import CatalogStore
internal import FileSystem
internal import StandardDirectories
public import SystemPackage
public import UniformTypes

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension TypeSources {
  /// What to do when a file of the same name is installed already.
  public enum Existing: Sendable {
    case kept
    case replaced
  }

  /// A file of declarations that was installed.
  public struct Installation: Sendable {
    /// Where it is now.
    public let destination: FilePath
    /// The identifiers of the entries that count.
    public let accepted: [String]
    /// What is wrong with the others.
    public let diagnostics: [TypeDiagnostic]
  }

  /// Checks a property list or a JSON file of type declarations and copies it to the first of the
  /// directories with declarations, which is made if it is not there. The next scan goes by it.
  ///
  /// - Throws: ``TypeInstallationError`` for a file that cannot be read, in which no entry counts,
  ///   or that is there already; nothing is copied then.
  public func install(
    _ file: FilePath, existing: Existing = .kept
  ) throws(TypeInstallationError) -> Installation {
    guard let directory = declarationDirectories.first, let name = file.lastComponent else {
      throw TypeInstallationError(
        .noDestination, file, "\(file.string) cannot be imported: there is no place for it")
    }
    guard ["plist", "json"].contains(file.extension ?? "") else {
      throw TypeInstallationError(
        .notADeclarationFile, file,
        "\(file.string): declarations are read from .plist and .json files")
    }
    let bytes = try Self.read(file)
    let check = DeclarationCheck(
      of: bytes, named: file.string, joining: declarationDirectories)
    guard !check.accepted.isEmpty else {
      throw TypeInstallationError(
        .nothingDeclared, file,
        "\(file.string) declares no type that counts; nothing was imported",
        diagnostics: check.diagnostics)
    }
    let destination = directory.appending(name)
    try Self.write(bytes, to: destination, existing)
    return Installation(
      destination: destination, accepted: check.accepted, diagnostics: check.diagnostics)
  }

  private static func read(_ file: FilePath) throws(TypeInstallationError) -> [UInt8] {
    do throws(Errno) {
      return try LocalFiles().contents(of: file)
    } catch {
      throw TypeInstallationError(
        .cannotRead, file, "\(file.string) cannot be read: \(error)")
    }
  }

  private static func write(
    _ bytes: [UInt8], to destination: FilePath, _ existing: Existing
  ) throws(TypeInstallationError) {
    if existing == .kept, (try? FileStatus(ofPath: destination)) != nil {
      throw TypeInstallationError(
        .alreadyInstalled, destination, "\(destination.string) is there already")
    }
    do {
      try destination.removingLastComponent().makeDirectories(mode: 0o777)
      try replace(destination, with: bytes)
    } catch {
      throw TypeInstallationError(
        .cannotWrite, destination, "\(destination.string) cannot be written: \(error)")
    }
  }

  /// Whoever reads meanwhile sees the old file or the new one.
  private static func replace(_ file: FilePath, with bytes: [UInt8]) throws {
    // Hidden, and without the extension of a declaration file.
    let scratch = file.removingLastComponent().appending(".\(UInt64.random(in: 0 ... .max))")
    do {
      let descriptor = try FileDescriptor.open(
        scratch, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: FilePermissions(rawValue: 0o644))
      try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
      let failure = scratch.withPlatformString { scratch in
        file.withPlatformString { rename(scratch, $0) == 0 ? nil : Errno(rawValue: errno) }
      }
      if let failure { throw failure }
    } catch {
      _ = scratch.withPlatformString { unlink($0) }
      throw error
    }
  }
}

/// Why a file of declarations was not installed.
public struct TypeInstallationError: Error, Sendable, CustomStringConvertible {
  /// The reason, for programs. More may come; treat unknown ones by their description.
  public struct Code: Sendable, Hashable {
    private enum Value: Hashable, Sendable {
      case noDestination, notADeclarationFile, nothingDeclared, alreadyInstalled, cannotRead
      case cannotWrite
    }
    private let value: Value
    private init(_ value: Value) { self.value = value }

    /// No directory for declarations is configured.
    public static let noDestination = Code(.noDestination)
    /// The name has none of the extensions of declaration files.
    public static let notADeclarationFile = Code(.notADeclarationFile)
    /// No entry of the file counts.
    public static let nothingDeclared = Code(.nothingDeclared)
    /// A file of this name is installed, and was to be kept.
    public static let alreadyInstalled = Code(.alreadyInstalled)
    /// The file cannot be read.
    public static let cannotRead = Code(.cannotRead)
    /// The file cannot be written to its destination.
    public static let cannotWrite = Code(.cannotWrite)
  }

  /// The reason, for programs.
  public let code: Code
  /// The file that cannot be read, does not count, is there already or cannot be written.
  public let path: FilePath
  /// The reason, in one line for a person.
  public let description: String
  /// What is wrong with the entries of the file.
  public let diagnostics: [TypeDiagnostic]

  package init(
    _ code: Code, _ path: FilePath, _ description: String, diagnostics: [TypeDiagnostic] = []
  ) {
    self.code = code
    self.path = path
    self.description = description
    self.diagnostics = diagnostics
  }
}
