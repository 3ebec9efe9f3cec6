import FileCatalog
import Foundation
import SystemPackage

/// What one test of types works with: files to scan, declarations of types, and a catalog.
final class TypeLaboratory {
  let root: FilePath
  private let base: FilePath
  private let declarations: FilePath

  init() throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("filecat-types-\(UUID().uuidString)").resolvingSymlinksInPath()
    base = FilePath(directory.path)
    root = base.appending("root")
    declarations = base.appending("types.d")
    for path in [root, declarations] {
      try FileManager.default.createDirectory(
        atPath: path.string, withIntermediateDirectories: true)
    }
  }

  deinit {
    // What is left of a test among the temporary files harms nobody.
    try? FileManager.default.removeItem(atPath: base.string)
  }

  /// Another root beside the first one.
  func otherRoot() throws -> FilePath {
    let other = base.appending("other")
    try FileManager.default.createDirectory(atPath: other.string, withIntermediateDirectories: true)
    return other
  }

  /// Writes a file, and the directories on its way.
  func write(
    _ path: String, _ content: [UInt8] = Array("x".utf8), mode: Int = 0o644,
    in root: FilePath? = nil
  ) throws {
    let file = (root ?? self.root).pushing(FilePath(path))
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(content).write(to: URL(fileURLWithPath: file.string))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.string)
  }

  /// Declares types as a user does; `nil` takes the declarations back.
  func declare(_ json: String?) throws {
    let file = declarations.appending("test.json").string
    if let json {
      try Data(json.utf8).write(to: URL(fileURLWithPath: file))
    } else {
      try FileManager.default.removeItem(atPath: file)
    }
  }

  /// Declares one type for an extension.
  func declare(
    _ identifier: String, extension text: String, conformingTo parent: String = "public.data"
  ) throws {
    try declare(
      """
      {"UTExportedTypeDeclarations": [{"UTTypeIdentifier": "\(identifier)",
        "UTTypeConformsTo": "\(parent)",
        "UTTypeTagSpecification": {"public.filename-extension": "\(text)"}}]}
      """)
  }

  func catalog(mime: [FilePath] = []) throws -> Catalog {
    try Catalog(at: base.appending("catalog.sqlite"), types: sources(mime: mime))
  }

  func sources(mime: [FilePath] = []) -> TypeSources {
    TypeSources(declarationDirectories: [declarations], mimeDirectories: mime)
  }

  /// A database in the form of shared-mime-info that knows one extension.
  func systemTypes(_ mimeType: String, extension text: String) throws -> FilePath {
    try systemTypes("50:\(mimeType):*.\(text)\n")
  }

  /// A database in the form of shared-mime-info with these lines of `globs2`. Its path is where the
  /// XDG base directory specification wants it, below ``dataDirectory``.
  func systemTypes(_ globs: String) throws -> FilePath {
    let directory = dataDirectory.appending("mime")
    try FileManager.default.createDirectory(
      atPath: directory.string, withIntermediateDirectories: true)
    try Data(globs.utf8).write(to: URL(fileURLWithPath: directory.appending("globs2").string))
    return directory
  }

  /// What `XDG_DATA_DIRS` names.
  var dataDirectory: FilePath { base.appending("share") }
}

extension Catalog {
  /// The types of the entries of a catalog by name.
  func types() throws -> [String: String] {
    var types: [String: String] = [:]
    try sql("SELECT name, type FROM files WHERE depth > 0") { types[$0[0]] = $0[1] }
    return types
  }

  /// The values of one column, in order.
  func column(_ statement: String) throws -> [String] {
    var values: [String] = []
    try sql(statement) { values.append($0[0]) }
    return values
  }

  private func sql(_ statement: String, _ row: ([String]) -> Void) throws {
    _ = try runSQL(
      statement, begin: { _ in },
      row: { values in row(values.map { $0.string ?? $0.integer.map { String($0) } ?? "" }) })
  }

  func names(_ query: String) async throws -> Set<String> {
    Set(try await entries(matching: Query(parsing: query)).map(\.name))
  }
}
