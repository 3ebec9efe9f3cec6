package import CatalogStore
package import FileSystem
package import SystemPackage
package import UniformTypes

/// A walk whose entries are typed as those of a scan, and go to no catalog.
package struct TypedWalk {
  /// How it is walked.
  package struct Settings: Sendable {
    package var maxDepth: Int?
    package var packages = ScanOptions.Packages.asOneEntry
    package var boundary = ScanOptions.Boundary.crossDevices
    package var hidden = ScanOptions.Hidden.included

    package init() {}
  }

  /// The walk, which is to be started.
  package let walker: TreeWalker
  private let numbering: TypeNumbering

  /// Opens the root, the path of which leads through no symbolic link.
  package init(
    root: FilePath, _ settings: Settings, types sources: TypeSources,
    makeSource: @escaping @Sendable () -> any DirectorySource = TreeWalker.systemSource
  ) throws(FileError) {
    let numbering = TypeNumbering.unstored(sources)
    var options = ScanRequest().jobs.walkOptions
    options.maxDepth = settings.maxDepth.map { Int32(clamping: $0) }
    options.boundary = settings.boundary == .crossDevices ? .crossDevices : .oneFileSystem
    options.skippedFileSystems = ScanOptions().skippedFileSystems
    if settings.hidden == .leftOut {
      options.isExcluded = { _, name in name.first == UInt8(ascii: ".") }
    }
    self.numbering = numbering
    walker = try TreeWalker(root: root, options: options, makeSource: makeSource) {
      var classifier = EntryClassifier(
        numbering: numbering, packages: settings.packages, providers: [], root: root, stored: nil)
      return { classifier.classify($0, $1, $2) }
    }
  }

  /// The code of the root's type, which no directory lists.
  package var rootTypeCode: Int32 { numbering.number(ofRoot: walker.startStatus) }

  /// The types of the codes of all records, once the walk is over.
  package func takeTypes() -> [Int32: UniformType] {
    let registry = numbering.registry
    var types = numbering.positions.mapValues { registry.type(at: $0) }
    for (type, number) in numbering.takeAdded().types { types[number] = type }
    return types
  }
}
