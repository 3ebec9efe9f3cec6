package import CatalogStore
package import FileSystem
internal import StandardDirectories
package import SystemPackage
internal import TextMatching

/// What goes for the entries of a directory by ignore files in it and above: the lists of patterns, each
/// from its own directory on.
///
/// There are two kinds. `.filecatignore` goes wherever it stands. What Git leaves out goes in a work tree,
/// and only while the root is scanned so: `.gitignore` from the top of the work tree down, its
/// `.git/info/exclude`, and the file of the user. Within a kind the file that is nearest decides; what a
/// `.filecatignore` says of an entry, Git's files are not asked about.
final class IgnoreChain: IgnoreRules {
  /// The patterns of one file.
  struct List {
    let patterns: IgnorePatterns
    /// The length of the absolute path of the directory that paths are counted from, with its slash.
    let base: Int
  }

  /// Where Git's files go.
  struct WorkTree {
    /// The absolute path of `.git` at its top.
    let metadata: [UInt8]
    /// The nearest first; those of the whole work tree last.
    var lists: [List]
  }

  /// Of `.filecatignore`, the nearest first.
  private let own: [List]
  private let workTree: WorkTree?

  init?(own: [List], workTree: WorkTree?) {
    if own.isEmpty, workTree == nil { return nil }
    self.own = own
    self.workTree = workTree
  }

  func exclusion(in path: [UInt8]) -> EntryExclusion? {
    // What Git keeps for itself is no part of the work tree.
    let git = workTree.flatMap { tree in
      path.starts(with: tree.metadata)
        && (path.count == tree.metadata.count || path[tree.metadata.count] == UInt8(ascii: "/"))
        ? nil : tree.lists
    }
    let lists = [own, git ?? []].filter { !$0.isEmpty }
    guard !lists.isEmpty else { return nil }
    let matching = Matching(lists, in: path)
    return { matching.excludes($0, $1 == .directory) }
  }

  /// The chain with what the files of a directory say.
  static func reading(
    _ directory: IgnoreDirectory, under above: IgnoreChain?, git: GitIgnoring?
  ) throws(FileError) -> IgnoreChain? {
    var own = above?.own ?? []
    if directory.found.contains(IgnoreNames.filecat),
      let list = try list(IgnoreNames.filecatignore, of: directory)
    {
      own.insert(list, at: 0)
    }
    var workTree = above?.workTree
    if let git, directory.found.contains(IgnoreNames.gitMetadata) {
      workTree = try WorkTree(directory, git)
    }
    if workTree != nil, directory.found.contains(IgnoreNames.git),
      let list = try list(IgnoreNames.gitignore, of: directory)
    {
      workTree?.lists.insert(list, at: 0)
    }
    let count = (own + (workTree?.lists ?? [])).reduce(0) { $0 + $1.patterns.count }
    if count > 4 * IgnorePatterns.Limit.patterns {
      let name =
        directory.found.contains(IgnoreNames.filecat)
        ? IgnoreNames.filecatignore : IgnoreNames.gitignore
      throw FileError(.read, FilePath(name), .fileTooLarge)
    }
    return IgnoreChain(own: own, workTree: workTree)
  }

  fileprivate static func list(
    _ file: String, of directory: IgnoreDirectory
  ) throws(FileError) -> List? {
    do throws(Errno) {
      guard let text = try directory.content(of: file, limit: IgnorePatterns.Limit.bytes) else {
        return nil
      }
      return try List(text, from: directory.path)
    } catch {
      throw FileError(.read, FilePath(file), error)
    }
  }
}

extension IgnoreChain.List {
  /// - Parameter directory: the absolute path of the directory that paths are counted from.
  fileprivate init(_ text: [UInt8], from directory: [UInt8]) throws(Errno) {
    do throws(IgnorePatterns.TooLarge) {
      patterns = try IgnorePatterns(parsing: text)
    } catch {
      throw .fileTooLarge
    }
    base = directory.count + (directory.last == UInt8(ascii: "/") ? 0 : 1)
  }
}

extension IgnoreChain.WorkTree {
  /// The work tree with this directory at its top.
  fileprivate init(_ top: IgnoreDirectory, _ git: GitIgnoring) throws(FileError) {
    metadata = FilePath(bytes: top.path).appending(IgnoreNames.metadata).bytes
    lists = []
    if let list = try IgnoreChain.list(IgnoreNames.exclude, of: top) { lists.append(list) }
    if let list = try git.list(from: top.path) { lists.append(list) }
  }
}

/// The names of ignore files, and where they stand among those that walks look for.
enum IgnoreNames {
  static let filecatignore = ".filecatignore"
  static let gitignore = ".gitignore"
  static let metadata = ".git"
  static let exclude = ".git/info/exclude"

  static let filecat = SoughtNames.Found.name(at: 0)
  static let git = SoughtNames.Found.name(at: 1)
  /// A directory, or the file of a work tree that Git keeps elsewhere.
  static let gitMetadata = SoughtNames.Found.name(at: 2)

  static let ownNames = SoughtNames([filecatignore])
  static let allNames = SoughtNames([filecatignore, gitignore, metadata])

  /// The files whose change, or coming and going, means that more has to be read than their directory.
  static func watched(_ settings: ScanOptions) -> [String] {
    settings.gitIgnore == .followed ? [filecatignore, gitignore, metadata] : [filecatignore]
  }
}

extension IgnoreFiles {
  /// The ignore files that a root goes by, those in the directories above it among them.
  ///
  /// - Throws: where one of these cannot be read; the path is absolute.
  package init(of root: FilePath, _ settings: ScanOptions) throws(FileError) {
    let git = settings.gitIgnore == .followed ? GitIgnoring() : nil
    let names = git == nil ? IgnoreNames.ownNames : IgnoreNames.allNames
    var above: [FilePath] = []
    var place = root
    while place.removeLastComponent() { above.append(place) }
    var chain: IgnoreChain?
    for path in above.reversed() {
      guard let directory = IgnoreDirectory(path, lookingFor: names) else { continue }
      do throws(FileError) {
        chain = try IgnoreChain.reading(directory, under: chain, git: git)
      } catch {
        throw FileError(error.operation, path.pushing(error.path), error.errno)
      }
    }
    let paths = IgnoreNames.watched(settings) + (git == nil ? [] : [IgnoreNames.exclude])
    self.init(named: names, at: paths, above: chain) { above, directory throws(FileError) in
      try IgnoreChain.reading(directory, under: above as? IgnoreChain, git: git)
    }
  }
}

/// What Git leaves out in every work tree of a user.
struct GitIgnoring: Sendable {
  /// Where Git looks if nothing else is set; `nil` without a home.
  let fileOfUser: FilePath?

  init() {
    fileOfUser = HostEnvironment.process.configHome?.pushing("git/ignore")
  }

  /// The patterns, counted from the top of a work tree. Links to the file are followed: it is the user's.
  func list(from top: [UInt8]) throws(FileError) -> IgnoreChain.List? {
    guard let file = fileOfUser else { return nil }
    do throws(Errno) {
      return try LocalFiles().fileOfUser(file).map { found throws(Errno) in
        try IgnoreChain.List(found.bytes, from: top)
      }
    } catch {
      // Nothing that could be read, such as /dev/null, or a link that leads nowhere.
      if error.saysReplaced || error == .invalidArgument { return nil }
      throw FileError(.read, file, error)
    }
  }
}

/// The patterns that go for the entries of one directory, and room for their paths.
private final class Matching {
  private let lists: [[IgnoreChain.List]]
  /// The absolute path of the directory with its slash, and behind it that of the entry.
  private var path: UnsafeMutableRawBufferPointer
  private let nameStart: Int

  /// The longest name of most file systems.
  private static let usualName = 255

  init(_ lists: [[IgnoreChain.List]], in directory: [UInt8]) {
    self.lists = lists
    let slash = UInt8(ascii: "/")
    let start = directory.last == slash ? directory : directory + [slash]
    nameStart = start.count
    path = .allocate(byteCount: nameStart + Self.usualName, alignment: 1)
    path.copyBytes(from: start)
  }

  deinit { path.deallocate() }

  func excludes(_ name: UnsafeBufferPointer<UInt8>, _ isDirectory: Bool) -> Bool {
    if nameStart + name.count > path.count { makeRoom(for: name.count) }
    path[nameStart...].copyBytes(from: name)
    for kind in lists {
      for list in kind {
        let below = UnsafeRawBufferPointer(rebasing: path[list.base..<nameStart + name.count])
        let verdict = list.patterns.verdict(
          on: below, nameStart: nameStart - list.base, isDirectory: isDirectory)
        if let verdict { return verdict == .excluded }
      }
    }
    return false
  }

  private func makeRoom(for name: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: nameStart + name, alignment: 1)
    larger.copyBytes(from: path[..<nameStart])
    path.deallocate()
    path = larger
  }
}
