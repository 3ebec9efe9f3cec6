import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

struct LookupCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "lookup", _superCommandName: FileCat.name,
    abstract: "Find the variant of an asset that suits a device best.",
    discussion: """
      Variants are told by their names: icon-hd-568h@2x~ipad.png. The index alone answers; nothing on \
      the disk is looked at. What lies in DIR itself comes before what lies further down. A name that \
      begins with / says itself where to look; one that begins with ~ is a name like others.

        filecat lookup icon --idiom pad --scale 2 --height 1024 --in Resources
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    help: "The kind of device: \(Idiom.allCases.map(\.rawValue).joined(separator: ", ")).",
    completion: .list(Idiom.allCases.map(\.rawValue)))
  var idiom: String?

  @Option(help: ArgumentHelp("The pixels a point of its screen: 1, 2, 1.5.", valueName: "n"))
  var scale = "1"

  @Option(help: ArgumentHelp("The height of its screen in points.", valueName: "points"))
  var height: Int?

  @Option(help: ArgumentHelp("The width of its screen in points.", valueName: "points"))
  var width: Int?

  @Option(
    name: .customLong("in"), help: ArgumentHelp("Look only here and below.", valueName: "dir"),
    completion: .directory)
  var directory: PathArgument?

  @Option(
    help: ArgumentHelp("Look only in directories of this role.", valueName: "role"),
    completion: .custom { _, _, _ in RoleChoice.names })
  var role: String?

  @Option(
    help: ArgumentHelp("Look only in this container.", valueName: "container"),
    completion: .containers)
  var container: PathArgument?

  @Option(help: ArgumentHelp("What a name without an extension gets.", valueName: "ext"))
  var defaultExtension = "png"

  @Flag(help: "Take capital for small letters, as some file systems do; looks at all names.")
  var ignoreCase = false

  @Flag(help: "List all variants that would do, the best first.")
  var all = false

  @Argument(help: "The name, with or without extension and marks.")
  var name: PathArgument

  private func device() throws -> AssetLookup.Device {
    guard let scale = AssetScale(scale) else {
      throw ValidationError("--scale takes a number above 0 such as 2 or 1.5")
    }
    let idiom = try idiom.map { word in
      guard let idiom = Idiom(named: word) else {
        let known = Idiom.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("--idiom takes one of \(known)")
      }
      return idiom
    }
    guard height ?? 1 > 0, width ?? 1 > 0 else {
      throw ValidationError("--height and --width take numbers above 0")
    }
    return AssetLookup.Device(idiom: idiom, scale: scale, height: height, width: width)
  }

  func validate() throws {
    _ = try device()
  }

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var role: Role?
    if let name = self.role { role = try await RoleChoice.role(named: name, catalog) }
    var container: ContainerID?
    if let name = self.container?.path { container = try await catalog.container(named: name).id }
    let matches = try await catalog.assets(
      named: name.path, on: try device(), in: directory?.path, role: role, container: container,
      defaultExtension: defaultExtension,
      caseSensitivity: ignoreCase ? .insensitive : .sensitive,
      limit: all ? nil : ignoreCase ? 2 : 1)
    var printer = output.printer(AssetMatch.printedColumns, piped: .tsv)
    for match in all ? matches[...] : matches.prefix(1) { try printer.print(match.cells) }
    try printer.finish()
    if ignoreCase { Self.warn(about: matches) }
    return matches.isEmpty ? .nothing : .done
  }

  /// Says when it is a matter of case which file is the best.
  private static func warn(about matches: [AssetMatch]) {
    guard let best = matches.first, let next = matches.dropFirst().first,
      best.path.removingLastComponent() == next.path.removingLastComponent(),
      best.path.string.lowercased() == next.path.string.lowercased()
    else { return }
    let names = [best, next].map { "“\($0.path.lastComponent?.string ?? "")”" }
    Message.print(
      "\(names[0]) and \(names[1]) differ in case only; without --ignore-case the exact name counts"
    )
  }
}
