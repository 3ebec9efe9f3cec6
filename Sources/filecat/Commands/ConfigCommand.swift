import ArgumentParser
import Console
import FileCatalog
import SystemPackage

struct ConfigCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "config", _superCommandName: FileCat.name,
    abstract: "Show the settings in force, and where each comes from.",
    discussion: """
      Settings are in the file filecat/config in the user's configuration directory ($XDG_CONFIG_HOME, \
      else ~/.config). A line is KEY = VALUE; those that begin with # are comments:

        catalog = ~/catalogs/home.sqlite
        excludes = .git
        excludes = *.tmp
        columns.ls = name,size,modified
        columns.find = path,size
        color = auto

      catalog is used where neither --catalog nor $FILECAT_CATALOG names one. excludes is a glob as \
      --exclude takes it, one a line; a root that is new leaves these out, unless --exclude is given. \
      columns.ls and columns.find are as --columns takes them. color and hyperlink are auto, always or \
      never. The file must belong to you or to root, and nobody else may write it.
      """)

  @OptionGroup var output: OutputOptions

  @Flag(help: "Print only where the file is, whether there is one or not.")
  var path = false

  /// None, so that ``path`` is told where the file is wrong, too.
  static func settings() -> Settings { Settings() }

  func execute() async throws -> Outcome {
    if path {
      var printer = output.printer([.path("path")], piped: .paths)
      try printer.print([.text(bytes: Settings.file.bytes)])
      try printer.finish()
      return .done
    }
    let settings = try Settings.load()
    var printer = output.printer(
      [.text("key"), Column("value", alignment: .leading), .text("source"), .number("line")],
      piped: .tsv)
    for key in Settings.Key.allCases {
      for value in try settings.values(of: key) {
        let (source, line) = value.source.shown
        try printer.print([
          .text(key.rawValue), value.value, .text(source),
          line.map { .integer(Int64($0)) } ?? .null,
        ])
      }
    }
    try printer.finish()
    return .done
  }
}

extension Settings {
  /// Where a value comes from.
  fileprivate enum Source {
    case standard
    case file(line: Int)
    case environment

    var shown: (word: String, line: Int?) {
      switch self {
      case .standard: ("default", nil)
      case .file(let line): ("file", line)
      case .environment: ("environment", nil)
      }
    }
  }

  /// The values of a key that are in force where no option says otherwise.
  fileprivate func values(of key: Key) throws -> [(value: Cell, source: Source)] {
    let isSet = lines[key] != nil
    let source = lines[key]?.first.map { Source.file(line: $0) } ?? .standard
    func text(_ columns: [TableColumn]?, _ standard: [EntryColumn]) -> Cell {
      .text(TableColumn.text(of: columns ?? standard.map { .entry($0) }))
    }
    switch key {
    case .catalog:
      let path = Cell.text(bytes: try CatalogOptions.usualPath(catalog).bytes)
      return [(path, Self.environment(Self.catalogVariable) == nil ? source : .environment)]
    case .excludes:
      guard isSet else { return [(.null, .standard)] }
      return zip(excludes, lines[key] ?? []).map { (.text($0), .file(line: $1)) }
    case .columnsOfLs: return [(text(columnsOfLs, LsCommand.columns), source)]
    case .columnsOfFind: return [(text(columnsOfFind, FindCommand.columns), source)]
    case .color:
      let isTold = Self.environment(Self.colorVariable) != nil
      return [(.text(colorInForce.rawValue), isTold ? .environment : source)]
    case .hyperlink: return [(.text((hyperlink ?? .never).rawValue), source)]
    }
  }
}
