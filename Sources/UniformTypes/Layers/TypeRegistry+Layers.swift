public import SystemPackage

extension TypeRegistry {
  /// Loads the user's declarations and the system's over the built-in table.
  ///
  /// Never fails: what cannot be read or breaks the rules is refused and named in `diagnostics`,
  /// the rest counts.
  ///
  /// - Parameters:
  ///   - declarationDirectories: Directories with `.plist` and `.json` files in the form of
  ///     Info.plist, the strongest first.
  ///   - mimeDirectories: Directories of shared-mime-info (with `globs2`), the strongest first;
  ///     ``SharedMimeInfo/systemDirectories(of:)`` lists those of the system.
  /// - Complexity: Linear in the size of the files; the built-in table alone takes about a
  ///   millisecond, a usual shared-mime-info some 30 ms.
  public init(declarationDirectories: [FilePath], mimeDirectories: [FilePath] = []) {
    var builder = TypeTableParser.builtIn()
    let user = DeclarationReader.read(directories: declarationDirectories)
    for diagnostic in user.diagnostics { builder.report(diagnostic) }
    builder.addLayer(user.declarations)
    if !mimeDirectories.isEmpty {
      let mime = SharedMimeInfo(directories: mimeDirectories)
      var mapping = SharedMimeMapping(mime, over: builder.view)
      builder.addLayer(mapping.declarations())
    }
    self.init(storage: builder.finish())
  }

  /// Loads declarations from the content of one file over the built-in table: for checking a file
  /// before it is installed.
  ///
  /// - Parameters:
  ///   - bytes: A property list or JSON.
  ///   - name: What to call the file in diagnostics.
  public init(declarations bytes: [UInt8], named name: String) {
    var builder = TypeTableParser.builtIn()
    var reader = DeclarationReader(file: name)
    reader.read(bytes)
    for diagnostic in reader.diagnostics { builder.report(diagnostic) }
    builder.addLayer(reader.declarations)
    self.init(storage: builder.finish())
  }

  /// Returns the files of a directory that may hold declarations, by name; none where there is no
  /// such directory.
  package static func declarationFiles(in directory: FilePath) -> [FilePath] {
    DeclarationReader.files(in: directory)
  }
}

extension RegistryBuilder {
  /// Adds the declarations of a layer that pass validation.
  mutating func addLayer(_ declarations: [TypeDeclaration]) {
    guard !declarations.isEmpty else { return }
    let view = self.view
    var validator = DeclarationValidator(
      isKnown: { view.isKnown($0) }, knownParents: { view.parents(of: $0) })
    let valid = validator.validate(declarations)
    for diagnostic in validator.diagnostics { report(diagnostic) }
    reportConflicts(valid)
    for declaration in valid { add(declaration) }
  }

  /// Tags that two declarations of the user claim: a matter of file order, so worth a warning.
  private mutating func reportConflicts(_ declarations: [TypeDeclaration]) {
    var owners: [TypeDeclaration.Tag: TypeDeclaration] = [:]
    for declaration in declarations where declaration.source <= .userImported {
      for tag in declaration.tags {
        guard let owner = owners[tag] else {
          owners[tag] = declaration
          continue
        }
        guard owner.identifier != declaration.identifier, owner.source == declaration.source else {
          continue
        }
        report(
          TypeDiagnostic(
            problem: .conflictingTag(
              tag: tag.text, winner: owner.identifier, loser: declaration.identifier),
            file: declaration.file, keyPath: "\(declaration.keyPath).UTTypeTagSpecification"))
      }
    }
  }
}
