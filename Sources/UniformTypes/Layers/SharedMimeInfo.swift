public import StandardDirectories
public import SystemPackage

/// The shared-mime-info database of the system, as far as names go.
///
/// Read at run time from `globs2`, `subclasses`, `aliases`, `generic-icons` and `types` of each
/// directory. The formats are those of the Shared MIME-info Database specification of
/// freedesktop.org. Files that are missing count as empty, lines that make no sense are skipped:
/// the database only ever adds to the built-in table.
public struct SharedMimeInfo: Sendable {
  /// A pattern of file names for a MIME type.
  public struct Glob: Hashable, Sendable {
    /// The pattern, such as `*.tar.gz` or `makefile`.
    public let pattern: String
    /// From 0 to 100; the higher one wins; 50 when nothing was said.
    public let weight: Int
    /// Upper and lower case differ.
    public let isCaseSensitive: Bool
  }

  /// The MIME types, sorted.
  public private(set) var types: [String] = []
  /// Name patterns by MIME type, the strongest directory first.
  public private(set) var globs: [String: [Glob]] = [:]
  /// Direct parents by MIME type.
  public private(set) var parents: [String: [String]] = [:]
  /// Other names by MIME type.
  public private(set) var aliases: [String: [String]] = [:]
  /// The name of a generic icon by MIME type: the only hint at a category there is.
  public private(set) var genericIcons: [String: String] = [:]

  /// Reads the databases of some directories (each holds a file `globs2`), the strongest first.
  public init(directories: [FilePath]) {
    var names: Set<String> = []
    for directory in directories {
      func lines(_ name: String) -> [Substring] {
        let file = directory.appending(name)
        guard let bytes = try? LocalFiles().contents(of: file) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
          .filter { !$0.hasPrefix("#") }
      }
      for line in lines("types") { names.insert(line.lowercased()) }
      for line in lines("globs2") { readGlob(line, &names) }
      for line in lines("subclasses") { readPair(line, \.parents) }
      readAliases(lines("aliases"))
      for line in lines("generic-icons") {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, genericIcons[parts[0].lowercased()] == nil else { continue }
        genericIcons[parts[0].lowercased()] = String(parts[1])
      }
    }
    types = names.filter { $0.contains("/") }.sorted()
  }

  /// Returns the directories of the system by the XDG Base Directory Specification: `mime` in the
  /// data directory of the user, then in those of the system. They need not exist.
  public static func systemDirectories(of environment: HostEnvironment) -> [FilePath] {
    environment.sharedData.map { $0.appending("mime") }
  }

  // MARK: - Lines

  /// `weight:type:pattern[:flags]`
  private mutating func readGlob(_ line: Substring, _ names: inout Set<String>) {
    let parts = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, let weight = Int(parts[0]), !parts[2].isEmpty else { return }
    let type = parts[1].lowercased()
    guard parts[2] != "__NOGLOBS__" else { return }
    names.insert(type)
    let flags = parts.count > 3 ? parts[3].split(separator: ",") : []
    let glob = Glob(
      pattern: String(parts[2]), weight: min(max(weight, 0), 100),
      isCaseSensitive: flags.contains("cs"))
    if globs[type]?.contains(glob) != true { globs[type, default: []].append(glob) }
  }

  private mutating func readPair(
    _ line: Substring, _ table: WritableKeyPath<SharedMimeInfo, [String: [String]]>
  ) {
    let parts = line.split(separator: " ")
    guard parts.count == 2 else { return }
    let (key, value) = (parts[0].lowercased(), parts[1].lowercased())
    if self[keyPath: table][key]?.contains(value) != true {
      self[keyPath: table][key, default: []].append(value)
    }
  }

  /// `alias type`: turned around, because the question is for the other names of a type.
  private mutating func readAliases(_ lines: [Substring]) {
    for line in lines {
      let parts = line.split(separator: " ")
      guard parts.count == 2 else { continue }
      readPair("\(parts[1]) \(parts[0])", \.aliases)
    }
  }
}

/// How the name patterns of shared-mime-info become tags.
enum MimeGlob {
  /// A pattern without metacharacters is a name, a star and a dot before such a text an extension,
  /// which may have dots itself; everything else stays a pattern.
  static func tag<Bytes: BidirectionalCollection<UInt8>>(
    of pattern: Bytes
  ) -> (kind: TagKind, text: Bytes.SubSequence) {
    if !pattern.contains(where: isMetacharacter) { return (.name, pattern[...]) }
    let suffix = pattern.dropFirst(2)
    if pattern.starts(with: [UInt8(ascii: "*"), UInt8(ascii: ".")]),
      !suffix.contains(where: isMetacharacter)
    {
      return (.filenameExtension, suffix)
    }
    return (.pattern, pattern[...])
  }

  /// Weight 50, the usual one, is rank 6; ranks below 1 and above 10 do not matter.
  static func rank(weight: Int) -> UInt8 {
    UInt8(clamping: max(1, 11 - weight / 10))
  }

  /// Types of volumes and of special files say nothing about names.
  static func concernsNames<Bytes: Collection<UInt8>>(_ type: Bytes) -> Bool {
    !type.starts(with: "x-content/".utf8) && !type.starts(with: "inode/".utf8)
  }

  private static func isMetacharacter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
  }
}
