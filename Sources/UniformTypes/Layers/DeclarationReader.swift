internal import StandardDirectories
internal import SystemPackage

/// Reads type declarations in the form of Info.plist, as a property list or as JSON.
///
/// Keys: `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`, arrays of dictionaries with
/// `UTTypeIdentifier`, `UTTypeConformsTo`, `UTTypeDescription`, `UTTypeReferenceURL`,
/// `UTTypeVersion`, `UTTypeTagSpecification`; `CFBundleDocumentTypes` with `LSTypeIsPackage`,
/// `LSItemContentTypes`, `CFBundleTypeExtensions`. Tag specifications may also have `name` and
/// `pattern`, which are this library's.
struct DeclarationReader {
  let file: String
  private(set) var declarations: [TypeDeclaration] = []
  private(set) var diagnostics: [TypeDiagnostic] = []

  /// The most bytes that are read of all files together.
  private static let mostBytes = 4 * LocalFiles.largestFile

  /// Reads every `.plist` and `.json` file of some directories, in the order of the directories and
  /// within one by name. A directory that is not there is empty.
  static func read(
    directories: [FilePath]
  ) -> (declarations: [TypeDeclaration], diagnostics: [TypeDiagnostic]) {
    var declarations: [TypeDeclaration] = []
    var diagnostics: [TypeDiagnostic] = []
    var room = mostBytes
    for directory in directories {
      for file in files(in: directory) {
        var reader = DeclarationReader(file: file.string)
        reader.read(file, room: &room)
        declarations += reader.declarations
        diagnostics += reader.diagnostics
      }
    }
    return (declarations, diagnostics)
  }

  /// The files of a directory that may hold declarations, by name.
  static func files(in directory: FilePath) -> [FilePath] {
    let names = (try? LocalFiles().names(in: directory)) ?? []
    return names.filter { $0.string.hasSuffix(".plist") || $0.string.hasSuffix(".json") }
      .sorted { $0.string < $1.string }.map { directory.appending($0) }
  }

  init(file: String) {
    self.file = file
  }

  private mutating func read(_ file: FilePath, room: inout Int) {
    do throws(Errno) {
      let bytes = try LocalFiles().contents(of: file)
      guard bytes.count <= room else {
        let mebibytes = Self.mostBytes >> 20
        return report(
          .unreadableFile("with the files before it, it has more than \(mebibytes) MiB"), "")
      }
      room -= bytes.count
      read(bytes)
    } catch {
      report(.unreadableFile(Self.reason(error)), "")
    }
  }

  private static func reason(_ error: Errno) -> String {
    switch error {
    case .permissionDenied, .notPermitted: "permission denied"
    case .fileTooLarge: "it has more than \(LocalFiles.largestFile >> 20) MiB"
    case .invalidArgument: "it is no regular file"
    default: "the file is not there or not readable"
    }
  }

  /// Reads the content of one file.
  mutating func read(_ bytes: [UInt8]) {
    let root: PropertyList
    do throws(PropertyListError) {
      root = try PropertyList(decodingListOrJSON: bytes)
    } catch {
      report(.unreadableFile(error.description), "")
      return
    }
    guard case .dictionary = root else {
      report(.malformedValue(expected: "a dictionary at the top"), "")
      return
    }
    readDeclarations(root, key: "UTExportedTypeDeclarations", source: .userExported)
    readDeclarations(root, key: "UTImportedTypeDeclarations", source: .userImported)
    readDocumentTypes(root)
  }

  private mutating func report(_ problem: TypeDiagnostic.Problem, _ keyPath: String) {
    diagnostics.append(TypeDiagnostic(problem: problem, file: file, keyPath: keyPath))
  }

  // MARK: - Declarations

  private mutating func readDeclarations(_ root: PropertyList, key: String, source: TypeSource) {
    guard let value = root[key] else { return }
    guard let entries = value.array else {
      report(.malformedValue(expected: "an array of dictionaries"), key)
      return
    }
    for (index, entry) in entries.enumerated() {
      readDeclaration(entry, keyPath: "\(key)[\(index)]", source: source)
    }
  }

  private mutating func readDeclaration(
    _ entry: PropertyList, keyPath: String, source: TypeSource
  ) {
    guard case .dictionary = entry else {
      return report(.malformedValue(expected: "a dictionary"), keyPath)
    }
    guard let identifier = entry["UTTypeIdentifier"]?.text?.lowercased() else {
      return report(.malformedValue(expected: "a string"), "\(keyPath).UTTypeIdentifier")
    }
    guard IdentifierGrammar.isValid(identifier) else {
      return report(.invalidIdentifier(identifier), "\(keyPath).UTTypeIdentifier")
    }
    var declaration = TypeDeclaration(identifier: identifier, source: source)
    declaration.file = file
    declaration.keyPath = keyPath
    if let value = entry["UTTypeConformsTo"] {
      guard let parents = value.strings else {
        return report(
          .malformedValue(expected: "a string or an array of strings"),
          "\(keyPath).UTTypeConformsTo")
      }
      var seen: Set<String> = []
      declaration.parents = parents.map { $0.lowercased() }.filter { seen.insert($0).inserted }
    }
    declaration.description = entry["UTTypeDescription"]?.text.map(Self.singleLine)
    declaration.referenceURL = entry["UTTypeReferenceURL"]?.text
    declaration.version = entry["UTTypeVersion"]?.integer
    if let specification = entry["UTTypeTagSpecification"] {
      guard
        let tags = readTags(
          specification, of: identifier, keyPath: "\(keyPath).UTTypeTagSpecification")
      else { return }
      declaration.tags = tags
    }
    declarations.append(declaration)
  }

  private static func singleLine(_ text: String) -> String {
    String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
  }

  private static let tagKeys: [(key: String, kind: TagKind)] = [
    ("public.filename-extension", .filenameExtension), ("public.mime-type", .mimeType),
    ("com.apple.ostype", .osType), ("name", .name), ("pattern", .pattern),
  ]

  /// The valid tags; an invalid one is left out. `nil` if the value is no dictionary.
  private mutating func readTags(
    _ specification: PropertyList, of identifier: String, keyPath: String
  ) -> [TypeDeclaration.Tag]? {
    guard case .dictionary = specification else {
      report(.malformedValue(expected: "a dictionary"), keyPath)
      return nil
    }
    var tags: [TypeDeclaration.Tag] = []
    var seen: Set<TypeDeclaration.Tag> = []
    for (key, kind) in Self.tagKeys {
      guard let value = specification[key] else { continue }
      guard let texts = value.strings else {
        report(
          .malformedValue(expected: "a string or an array of strings"), "\(keyPath).\(key)")
        continue
      }
      for text in texts {
        if TagGrammar.isValid(text, kind) {
          let keepsCase = kind == .osType || kind == .name || kind == .pattern
          let tag = TypeDeclaration.Tag(
            text: keepsCase ? text : text.lowercased(), kind: kind)
          if seen.insert(tag).inserted { tags.append(tag) }
        } else {
          report(.invalidTag(identifier: identifier, tag: text), "\(keyPath).\(key)")
        }
      }
    }
    return tags
  }

  // MARK: - Document types

  /// Document types say of known types, or of bare extensions, that their documents are
  /// directories.
  private mutating func readDocumentTypes(_ root: PropertyList) {
    let key = "CFBundleDocumentTypes"
    guard let value = root[key] else { return }
    guard let entries = value.array else {
      report(.malformedValue(expected: "an array of dictionaries"), key)
      return
    }
    for (index, entry) in entries.enumerated() where entry["LSTypeIsPackage"]?.isTrue == true {
      let keyPath = "\(key)[\(index)]"
      if let identifiers = entry["LSItemContentTypes"]?.strings {
        for identifier in identifiers {
          addPackage(
            identifier.lowercased(), parents: [], tags: [],
            keyPath: "\(keyPath).LSItemContentTypes")
        }
      } else if let extensions = entry["CFBundleTypeExtensions"]?.strings {
        for text in extensions where text != "*" {
          addPackageExtension(text.lowercased(), keyPath: "\(keyPath).CFBundleTypeExtensions")
        }
      } else {
        report(
          .malformedValue(expected: "LSItemContentTypes or CFBundleTypeExtensions"), keyPath)
      }
    }
  }

  /// A bare extension becomes the dynamic type that Apple's systems make of it.
  private mutating func addPackageExtension(_ text: String, keyPath: String) {
    guard TagGrammar.isValid(text, .filenameExtension) else {
      return report(.invalidTag(identifier: "com.apple.package", tag: text), keyPath)
    }
    let dynamic = DynamicIdentifier(
      DynamicIdentifier.Pair(key: "public.filename-extension", value: text),
      conformingTo: "com.apple.package")
    addPackage(
      dynamic.rawValue, parents: ["com.apple.package"],
      tags: [TypeDeclaration.Tag(text: text, kind: .filenameExtension)], keyPath: keyPath)
  }

  private mutating func addPackage(
    _ identifier: String, parents: [String], tags: [TypeDeclaration.Tag], keyPath: String
  ) {
    var declaration = TypeDeclaration(identifier: identifier, source: .userImported)
    declaration.parents = parents
    declaration.tags = tags
    declaration.isPackage = true
    declaration.file = file
    declaration.keyPath = keyPath
    declarations.append(declaration)
  }
}
