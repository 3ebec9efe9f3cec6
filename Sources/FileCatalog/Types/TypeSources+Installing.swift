internal import FileSystem
internal import Foundation
internal import StandardDirectories
public import SystemPackage
public import UniformTypes

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
      throw TypeInstallationError("\(file.string) cannot be imported: there is no place for it")
    }
    guard ["plist", "json"].contains(file.extension ?? "") else {
      throw TypeInstallationError(
        "\(file.string): declarations are read from .plist and .json files; name it so")
    }
    let bytes = try Self.read(file)
    let check = DeclarationCheck(
      of: bytes, named: file.string, joining: declarationDirectories)
    guard !check.accepted.isEmpty else {
      throw TypeInstallationError(
        "\(file.string) declares no type that counts; nothing was imported",
        diagnostics: check.diagnostics)
    }
    let destination = directory.appending(name)
    try Self.write(Data(bytes), to: destination, existing)
    return Installation(
      destination: destination, accepted: check.accepted, diagnostics: check.diagnostics)
  }

  private static func read(_ file: FilePath) throws(TypeInstallationError) -> [UInt8] {
    do throws(Errno) {
      return try LocalFiles().contents(of: file)
    } catch {
      throw TypeInstallationError("\(file.string) cannot be read: \(error)")
    }
  }

  private static func write(
    _ data: Data, to destination: FilePath, _ existing: Existing
  ) throws(TypeInstallationError) {
    if existing == .kept, (try? FileStatus(ofPath: destination)) != nil {
      throw TypeInstallationError(
        "\(destination.string) is there already; rename the file, or replace it with --replace")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: destination.removingLastComponent().string, withIntermediateDirectories: true)
      try data.write(to: URL(fileURLWithPath: destination.string), options: .atomic)
    } catch {
      throw TypeInstallationError("\(destination.string) cannot be written: \(reason(error))")
    }
  }

  private static func reason(_ error: any Error) -> String {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    guard let underlying, underlying.domain == NSPOSIXErrorDomain else {
      return "the system refuses it"
    }
    return Errno(rawValue: Int32(underlying.code)).description
  }
}

/// Why a file of declarations was not installed.
public struct TypeInstallationError: Error, Sendable, CustomStringConvertible {
  /// One line for a person.
  public let description: String
  /// What is wrong with the entries of the file.
  public let diagnostics: [TypeDiagnostic]

  init(_ description: String, diagnostics: [TypeDiagnostic] = []) {
    self.description = description
    self.diagnostics = diagnostics
  }
}
