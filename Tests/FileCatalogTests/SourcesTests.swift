import Foundation
import Testing

/// The page that says where the features of the source systems are, as a table.
private struct SourcesPage {
  /// What the page says of a feature.
  struct Line {
    var id: String
    var state: String
    /// What it gives in code, each with the file that it links to.
    var places: [(name: String, file: String)]
    /// The files with the tests that show it.
    var tests: [String]

    var isMissing: Bool { state.hasPrefix("not:") }
  }

  let lines: [Line]

  init(_ repository: Repository) throws {
    let page = try #require(repository.text(of: "Documentation/sources.md"))
    lines = page.split(separator: "\n").compactMap { text -> Line? in
      let cells = text.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count >= 7, cells[1].contains(#/^[A-Z]+-[0-9]+$/#) else { return nil }
      let places = cells[4].matches(of: #/\[`([^`]+)`\]\(\.\./([^)]+)\)/#)
        .map { (name: String($0.output.1), file: String($0.output.2)) }
      let tests = cells[5].matches(of: #/\]\(\.\./([^)]+)\)/#).map { String($0.output.1) }
      return Line(id: cells[1], state: cells[3], places: places, tests: tests)
    }
  }
}

/// The files of the package, by their paths in it.
private struct Repository {
  private let root: URL

  init() {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 1...3 { root.deleteLastPathComponent() }
    self.root = root
  }

  func holds(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  /// `nil` for a directory.
  func text(of file: String) -> String? {
    try? String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
  }

  /// The texts of the Swift files in a directory.
  func sources(in directory: String) throws -> [String: String] {
    let place = root.appendingPathComponent(directory).path
    var texts: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: place)
    where name.hasSuffix(".swift") {
      texts["\(directory)/\(name)"] = text(of: "\(directory)/\(name)")
    }
    return texts
  }

  /// The features that tests name by their traits, by file.
  func shownFeatures() throws -> [String: Set<String>] {
    try sources(in: "Tests").mapValues { text in
      var ids: Set<String> = []
      for trait in text.matches(of: #/\.feature\(([^)]*)\)/#) {
        for id in trait.output.1.matches(of: #/"([^"]+)"/#) { ids.insert(String(id.output.1)) }
      }
      return ids
    }
  }
}

@Suite("The page of source systems")
struct SourcesTests {
  private let repository = Repository()

  @Test("has one line for each feature, and for every feature that a test names")
  func namedFeatures() throws {
    let lines = try SourcesPage(repository).lines
    let known = Set(lines.map(\.id))
    #expect(known.count == lines.count)
    #expect(known.count > 200)
    for (file, ids) in try repository.shownFeatures() {
      let unknown = ids.subtracting(known)
      #expect(unknown.isEmpty, "\(file): \(unknown.sorted())")
    }
  }

  @Test("says that a feature works, or why or how far it does not")
  func states() throws {
    for line in try SourcesPage(repository).lines {
      let isKnown = line.state == "works" || line.state.contains(#/^(differs|in part|not): ./#)
      #expect(isKnown, "\(line.id): \(line.state)")
    }
  }

  @Test("gives tests for all that there is, which name the feature that they show")
  func tests() throws {
    let shown = try repository.shownFeatures()
    for line in try SourcesPage(repository).lines where !line.isMissing {
      #expect(!line.tests.isEmpty, "\(line.id) has no test")
      for file in line.tests {
        #expect(shown[file]?.contains(line.id) == true, "\(file) has no test of \(line.id)")
      }
    }
  }

  @Test("gives commands, names and files that there are")
  func places() throws {
    let commands = try repository.sources(in: "Sources/filecat").values.joined(separator: "\n")
    var wordsOfFiles: [String: Set<String>] = [:]
    for line in try SourcesPage(repository).lines where !line.isMissing {
      #expect(!line.places.isEmpty, "\(line.id) is nowhere")
      for (name, file) in line.places {
        #expect(repository.holds(file), "\(line.id): there is no \(file)")
        // What is a file itself has no more to be looked for.
        guard name != file, let text = repository.text(of: file) else { continue }
        let words = wordsOfFiles[file] ?? Self.words(of: text)
        wordsOfFiles[file] = words
        let isThere = words.contains(Self.lastName(of: name))
        #expect(isThere, "\(line.id): \(file) has no \(name)")
        for option in name.split(separator: " ") where option.hasPrefix("--") {
          #expect(
            Self.declarations(of: String(option)).contains { commands.contains($0) },
            "\(line.id): there is no \(option)")
        }
      }
    }
  }

  private static func words(of text: String) -> Set<String> {
    Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
  }

  /// The name at the end of `Container.resolve(_:_:)`, of `hidden:`, or of `filecat view add --x`.
  private static func lastName(of place: String) -> String {
    let words = place.split(separator: " ").filter { !$0.hasPrefix("--") }
    let name = (words.last ?? "").prefix { $0 != "(" && $0 != ":" }
    return name.split(separator: ".").last.map(String.init) ?? place
  }

  /// What the command has in its text if it has an option: a property, or the name itself. What can
  /// be left out by `--no-` has the name of what it is.
  private static func declarations(of option: String) -> [String] {
    let name = option.dropFirst(2)
    let words = (name.hasPrefix("no-") ? name.dropFirst(3) : name).split(separator: "-")
    let property = words.enumerated().map {
      $0.offset == 0 ? String($0.element) : $0.element.capitalized
    }
    return ["var \(property.joined(separator: ""))", "\"\(name)\""]
  }
}
