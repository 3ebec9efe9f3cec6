import ArgumentParser
import Console
import FileCatalog
import StandardDirectories
import SystemPackage

/// What shells offer beside the names of options and files. The completion scripts ask this command
/// for it, which looks into the catalog that the line names.
extension CompletionKind {
  /// Names, of which several may stand with commas between them.
  static func names(_ names: [String]) -> CompletionKind { offering { $0.list(of: names) } }

  /// Keys of an order, each descending with a dash before it.
  static func sortKeys(_ keys: [String]) -> CompletionKind {
    offering { $0.list(of: keys, sign: "-") }
  }

  /// Keys of an order of the report that the line names.
  static let reportColumns = offering { $0.list(of: $0.reportColumns, sign: "-") }

  /// The paths of the roots.
  static let roots = offering {
    $0.rows(of: "SELECT ifnull(path_bytes, path) FROM files WHERE parent_id IS NULL ORDER BY path")
  }
  /// The names of the saved searches.
  static let savedSearches = offering { $0.searchNames }
  /// The names of the containers.
  static let containers = offering { $0.containerNames }
  /// The identifiers of types.
  static let types = offering { $0.types }
  /// The names of the SQL views.
  static let views = offering { _ in (try? SchemaView.all().map(\.name)) ?? [] }
  /// The terms of a query, with their values as far as there are fixed ones.
  static let queryTerms = offering { $0.terms }

  private static func offering(
    _ words: @escaping @Sendable (TypedLine) -> [String]
  ) -> CompletionKind {
    .custom { line, index, _ in
      let words = words(TypedLine(line, index))
      // There, the script of the parser would take what follows a colon for an explanation.
      guard CompletionShell.requesting == .zsh else { return words }
      return words.map { $0.replacing("\\", with: "\\\\").replacing(":", with: "\\:") }
    }
  }
}

/// A line that somebody is typing: its words as they stand there, quotes and all.
private struct TypedLine {
  private let words: [String]
  private let index: Int

  init(_ words: [String], _ index: Int) {
    self.words = words
    self.index = index
  }

  /// The word that is to be completed.
  private var word: String { words.indices.contains(index) ? words[index] : "" }

  // MARK: - Lists

  /// The lists that begin with what is there already.
  ///
  /// - Parameter sign: what may stand before a name.
  func list(of names: [String], sign: String? = nil) -> [String] {
    var items = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let last = items.popLast() ?? ""
    let head = items.map { $0 + "," }.joined()
    let mark = sign.flatMap { last.hasPrefix($0) ? $0 : nil } ?? ""
    let used = items.map { item in sign.map { String(item.trimmingPrefix($0)) } ?? item }
    return names.filter { !used.contains($0) }.map { head + mark + $0 }
  }

  /// The columns of the report that the line names; without one, those of the list of reports.
  var reportColumns: [String] {
    guard let report = words.lazy.compactMap({ try? Report(named: $0) }).first else {
      return ReportCommand.listColumns.map(\.name)
    }
    return report.columns.map(\.name)
  }

  // MARK: - The catalog

  var searchNames: [String] { rows(of: "SELECT name FROM searches ORDER BY name") }

  var containerNames: [String] {
    rows(of: "SELECT name FROM containers WHERE name IS NOT NULL ORDER BY name")
  }

  /// The texts in the first column of what a statement finds. Without a catalog, and where it takes
  /// long, there are none: a line that is being typed is no place for messages.
  func rows(of sql: String) -> [String] {
    guard let file = try? catalogFile, let catalog = try? Catalog(at: file, access: .existing)
    else { return [] }
    defer { catalog.closeQuietly() }
    var texts: [String] = []
    _ = try? catalog.runSQL(sql, timeout: 1, maximumRows: 1000) { _ in
    } row: { values in
      guard let text = values.first?.string, !text.unicodeScalars.contains(where: { $0 < " " })
      else { return }
      texts.append(text)
    }
    return texts
  }

  private var catalogFile: FilePath {
    get throws {
      if let named { return named }
      return try CatalogOptions.usualPath((try? Settings.load())?.catalog)
    }
  }

  /// The catalog that the line names.
  private var named: FilePath? {
    let option = "--catalog"
    for (index, word) in words.enumerated() where word.hasPrefix(option) {
      if word.hasPrefix(option + "=") { return path(String(word.dropFirst(option.count + 1))) }
      // Some shells make a word of the sign of equality.
      let rest = words.dropFirst(index + 1).drop { $0 == "=" }
      if word == option, let value = rest.first { return path(value) }
    }
    return nil
  }

  /// The path of a word as it was typed.
  private func path(_ typed: String) -> FilePath {
    var text = String.UnicodeScalarView()
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in typed.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        text.append(scalar)
        isEscaped = false
      case "\\" where quote != "'": isEscaped = true
      case _ where scalar == quote: quote = nil
      case "'" where quote == nil, "\"" where quote == nil: quote = scalar
      default: text.append(scalar)
      }
    }
    let path = FilePath(bytes: RawArguments.bytes(of: String(text)))
    guard typed.hasPrefix("~/"), let home = try? HostEnvironment.process.home else { return path }
    return home.pushing(FilePath(bytes: Array(path.bytes.dropFirst(2))))
  }

  // MARK: - Queries

  /// The terms that begin with what is there already.
  var terms: [String] {
    guard CompletionShell.requesting == .bash else { return terms(from: word) }
    // There, a line is taken apart where a colon or an @ is. What is behind a colon is completed
    // by itself, what is behind an @ together with it.
    let isMark = word == ":" || word == "@"
    let mark = isMark ? index : index - 1
    guard words.indices.contains(mark) else { return terms(from: word) }
    let rest = isMark ? "" : word
    switch words[mark] {
    case "@": return terms(from: "@" + rest)
    case ":" where mark > 0:
      let head = words[mark - 1] + ":"
      return terms(from: head + rest).map { String($0.dropFirst(head.count)) }
    default: return terms(from: word)
    }
  }

  private func terms(from typed: String) -> [String] {
    if typed.hasPrefix("@") { return searchNames.map { "@" + $0 } }
    let mark = typed.prefix { $0 == "!" || $0 == "-" }
    let term = typed.dropFirst(mark.count)
    guard let colon = term.firstIndex(of: ":") else {
      let keys = QueryTerm.all.map(\.key) + [QueryTerm.caseKey]
      return keys.map { "\(mark)\($0):" }
    }
    let key = term[..<colon].lowercased()
    let value = String(term[term.index(after: colon)...])
    return TypedLine([value], 0).list(of: values(of: key)).map { "\(mark)\(key):\($0)" }
  }

  /// The values of a term, if they are fixed ones or the catalog knows them.
  private func values(of key: String) -> [String] {
    if key == QueryTerm.caseKey || Filter.Flag(rawValue: key) != nil { return ["yes", "no"] }
    if Filter.DateField(rawValue: key) != nil { return ["today", "yesterday"] }
    return switch key {
    case "kind": Filter.Kind.allCases.map(\.rawValue)
    case "type", "is": types
    case "role": RoleChoice.names
    case "idiom": Idiom.allCases.map(\.rawValue)
    case "backup": Role.Policy.Backup.allCases.map(\.rawValue)
    case "container": containerNames
    default: []
    }
  }

  /// The identifiers of the types that are declared or built in.
  var types: [String] { TypeSources.standard.declaredTypes().types.map(\.identifier).sorted() }
}

/// The script for a shell, as the parser makes it.
enum CompletionScript {
  /// The script with what the parser does not know: in bash, a term goes on behind its colon, and
  /// neither that nor the @ of a saved search is to be quoted as in names of files.
  static func completed(_ script: String) -> String {
    guard script.hasPrefix("#!/bin/bash") else { return script }
    return script + """


      __filecat_terms() {
          _filecat "${@}"
          case "${COMPREPLY[0]-}" in
          *:) compopt +o filenames -o nospace 2>/dev/null ;;
          @*) compopt +o filenames 2>/dev/null ;;
          esac
      }
      complete -o filenames -F __filecat_terms filecat
      """
  }
}
