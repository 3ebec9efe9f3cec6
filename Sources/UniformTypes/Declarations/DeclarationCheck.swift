#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a file of type declarations would come to, found out before it is installed.
public struct DeclarationCheck: Sendable {
  /// The identifiers of the entries that count.
  public let accepted: [String]
  /// What is wrong with the file, entry by entry.
  public let diagnostics: [TypeDiagnostic]

  /// Checks the content of one file over the built-in table.
  ///
  /// - Parameters:
  ///   - data: a property list or JSON.
  ///   - name: what to call the file in diagnostics.
  ///   - directories: where the file will be installed; types declared there may be supertypes. A
  ///     file of the same name there does not count, since the new one takes its place.
  public init(of data: Data, named name: String, joining directories: [URL] = []) {
    var reader = DeclarationReader(file: name)
    reader.read(data)
    let fileName = Self.lastComponent(name)
    let others = DeclarationReader.read(directories: directories).declarations
      .filter { Self.lastComponent($0.file) != fileName }
    let view = TypeTableParser.builtIn().view
    var validator = DeclarationValidator(
      isKnown: { view.isKnown($0) }, knownParents: { view.parents(of: $0) })
    accepted = validator.validate(reader.declarations + others)
      .filter { $0.file == name }.map(\.identifier)
    diagnostics = reader.diagnostics + validator.diagnostics.filter { $0.file == name }
  }

  private static func lastComponent(_ path: String) -> Substring {
    path.split(separator: "/").last ?? ""
  }
}
