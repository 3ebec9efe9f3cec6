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

  private init() {}

  /// Reads the databases of some directories (each holds a file `globs2`), the strongest first.
  public init(directories: [FilePath]) {
    var reading = Reading()
    for directory in directories { reading.read(directory) }
    self = reading.info
    types = reading.names.filter { $0.contains("/") }.sorted()
  }

  /// Returns the directories of the system by the XDG Base Directory Specification: `mime` in the
  /// data directory of the user, then in those of the system. They need not exist.
  public static func systemDirectories(of environment: HostEnvironment) -> [FilePath] {
    environment.sharedData.map { $0.appending("mime") }
  }

  /// What has been read of the files so far.
  private struct Reading {
    var info = SharedMimeInfo()
    var names: Set<String> = []
    /// What is there once already, of each list.
    private var seenGlobs: Set<[String]> = []
    private var seenParents: Set<[String]> = []
    private var seenAliases: Set<[String]> = []

    mutating func read(_ directory: FilePath) {
      for line in Self.lines(of: directory.appending("types")) { names.insert(line.lowercased()) }
      for line in Self.lines(of: directory.appending("globs2")) { readGlob(line) }
      for line in Self.lines(of: directory.appending("subclasses")) {
        guard let (type, parent) = Self.pair(line), seenParents.insert([type, parent]).inserted
        else { continue }
        info.parents[type, default: []].append(parent)
      }
      // Turned around, because the question is for the other names of a type.
      for line in Self.lines(of: directory.appending("aliases")) {
        guard let (alias, type) = Self.pair(line), seenAliases.insert([type, alias]).inserted
        else { continue }
        info.aliases[type, default: []].append(alias)
      }
      for line in Self.lines(of: directory.appending("generic-icons")) {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, info.genericIcons[parts[0].lowercased()] == nil else { continue }
        info.genericIcons[parts[0].lowercased()] = String(parts[1])
      }
    }

    private static func lines(of file: FilePath) -> some Sequence<String> {
      let bytes = (try? LocalFiles().contents(of: file)) ?? []
      return bytes.split { $0 == 0x0A || $0 == 0x0D }.lazy
        .filter { $0.first != UInt8(ascii: "#") }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// `weight:type:pattern[:flags]`
    private mutating func readGlob(_ line: String) {
      let parts = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count >= 3, let weight = Int(parts[0]), !parts[2].isEmpty else { return }
      let type = parts[1].lowercased()
      guard parts[2] != "__NOGLOBS__" else { return }
      names.insert(type)
      let flags = parts.count > 3 ? parts[3].split(separator: ",") : []
      let glob = Glob(
        pattern: String(parts[2]), weight: min(max(weight, 0), 100),
        isCaseSensitive: flags.contains("cs"))
      let key = [type, glob.pattern, "\(glob.weight)", glob.isCaseSensitive ? "cs" : ""]
      guard seenGlobs.insert(key).inserted else { return }
      info.globs[type, default: []].append(glob)
    }

    /// Two words with a space between them, in lower case.
    private static func pair(_ line: String) -> (String, String)? {
      let parts = line.split(separator: " ")
      guard parts.count == 2 else { return nil }
      return (parts[0].lowercased(), parts[1].lowercased())
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
