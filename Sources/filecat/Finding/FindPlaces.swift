import FileCatalog
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where to look, by the words of a query: `.`, `..` and what begins with them are paths as the shell
/// means them, below the working directory.
///
/// Other words with a slash are part of the query. A word without one may be a directory to fingers that know
/// fd (`fd PATTERN DIR`), but a name is just as likely: ``hint()`` tells when nothing was found.
struct FindPlaces {
  /// The directories to look in, beside those of `--in`.
  private(set) var directories: [FilePath] = []
  /// The words that are left for the query.
  private(set) var words: [String] = []

  init(_ words: [String]) {
    for word in words {
      guard ["./", "../"].contains(where: word.hasPrefix) || word == "." || word == ".." else {
        self.words.append(word)
        continue
      }
      let path = FilePath(bytes: RawArguments.bytes(of: word))
      if path.isDirectory {
        directories.append(path)
      } else {
        self.words.append(Self.text(of: path))
      }
    }
  }

  /// A path below the working directory that may have wildcards, as a word of the query language.
  private static func text(of path: FilePath) -> String {
    var pattern = path
    var directory = FilePath(".")
    // Only what is before the first name can be resolved: a wildcard is no directory.
    while let first = pattern.components.first, first.kind != .regular {
      pattern = FilePath(root: nil, pattern.components.dropFirst())
      directory.append(first)
    }
    let base = EscapedText.text(
      of: directory.absolute.bytes, escaping: ["*", "?", "[", "{"])
    let text = (base == "/" ? "" : base) + "/" + EscapedText.text(typed: pattern.bytes)
    return "(\(Query(.name((try? TextPattern(typed: text, syntax: .path)) ?? .glob(text)))))"
  }

  /// What to do about a word for which nothing was found, and which names a directory.
  func hint() -> String? {
    // The first word is the pattern to fd.
    for word in words.dropFirst() {
      let path = FilePath(bytes: RawArguments.bytes(of: word))
      guard !word.contains(":"), path.isDirectory else { continue }
      return "“\(word)” is a directory, and a part of the query here; to look in it: "
        + "--in \(FindPrimary.quoted(word))"
    }
    return nil
  }
}

extension FilePath {
  /// Whether there is a directory at the path, links followed.
  fileprivate var isDirectory: Bool {
    FilePath(bytes: bytes + Array("/.".utf8)).allows(F_OK)
  }
}
