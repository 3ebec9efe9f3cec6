extension Filter {
  /// What `kind:` asks for: what an entry is to the file system, or a family of types.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A regular file.
    case file
    /// A directory that is not a package.
    case directory
    /// A directory that is shown as one thing, such as an application.
    case package
    /// A symbolic link.
    case symlink
    /// A named pipe.
    case fifo
    /// A local socket.
    case socket
    /// A block device.
    case blockDevice = "block_device"
    /// A character device.
    case characterDevice = "character_device"
    /// A picture: conforms to `public.image`.
    case image
    /// Sound: conforms to `public.audio`.
    case audio
    /// Moving pictures: conforms to `public.movie`.
    case video
    /// Text of any sort, source code included: conforms to `public.text`.
    case text
    /// Source code and scripts: conforms to `public.source-code`.
    case code
    /// Archives and disk images: conforms to `public.archive`.
    case archive
    /// Texts with layout, presentations and books (`public.composite-content`), spreadsheets, and
    /// rich text.
    case document
  }

  /// A time stamp of an entry; the raw value is the key of its term.
  public enum DateField: String, CaseIterable, Hashable, Sendable {
    /// When the content was last changed.
    case modified
    /// When the entry was made; not known on every file system.
    case created
    /// When the content was last read.
    case accessed
    /// When the metadata was last changed.
    case changed
  }

  /// A property that an entry has or has not.
  public enum Flag: String, CaseIterable, Hashable, Sendable {
    /// A file without bytes or a directory without entries.
    case empty
    /// Hidden by the rules of the platform.
    case hidden
    /// A symbolic link without a target.
    case broken
    /// The system may delete it when space is short.
    case purgeable
    /// Its root cannot be reached: what is known of it is as it was last.
    case offline
  }

  /// A test of permission bits, with the meaning of `find -perm`.
  ///
  /// Only the lowest twelve bits count (`0o7777`).
  public enum ModeTest: Hashable, Sendable {
    /// The bits are exactly these: `mode:644`.
    case exactly(UInt16)
    /// All of these bits are set: `mode:-022`.
    case all(UInt16)
    /// One of these bits is set at least: `mode:/022`. As in `find`, no bits at all match anything.
    case any(UInt16)
  }
}

extension Filter.Kind {
  /// How a kind is decided.
  package enum Test: Hashable, Sendable {
    /// By the column `kind` of the view `files`, which holds this word.
    case structure(String)
    /// By type: the entry conforms to one of these identifiers.
    case conformance([String])
  }

  /// How this kind is decided.
  package var test: Test {
    switch self {
    case .file, .directory, .package, .symlink, .fifo, .socket, .blockDevice, .characterDevice:
      .structure(rawValue)
    case .image: .conformance(["public.image"])
    case .audio: .conformance(["public.audio"])
    case .video: .conformance(["public.movie"])
    case .text: .conformance(["public.text"])
    case .code: .conformance(["public.source-code"])
    case .archive: .conformance(["public.archive"])
    case .document:
      .conformance(["public.composite-content", "public.spreadsheet", "public.rtf"])
    }
  }

  /// The kind for a word as typed, in any letter case; `dir`, `folder`, `link` and `movie` are
  /// understood too.
  init?(word: String) {
    let word = word.lowercased()
    guard let kind = Self(rawValue: word) ?? Self.synonyms[word] else { return nil }
    self = kind
  }

  private static let synonyms: [String: Self] = [
    "dir": .directory, "folder": .directory, "link": .symlink, "movie": .video,
  ]
}

extension Filter.ModeTest {
  /// Whether the permission bits of an entry pass.
  package func matches(_ mode: UInt16) -> Bool {
    switch self {
    case .exactly(let bits): mode & 0o7777 == bits & 0o7777
    case .all(let bits): mode & bits & 0o7777 == bits & 0o7777
    case .any(let bits): bits & 0o7777 == 0 || mode & bits & 0o7777 != 0
    }
  }

  /// The same test without bits that do not count.
  var simplified: Self {
    switch self {
    case .exactly(let bits): .exactly(bits & 0o7777)
    case .all(let bits): .all(bits & 0o7777)
    case .any(let bits): .any(bits & 0o7777)
    }
  }
}
