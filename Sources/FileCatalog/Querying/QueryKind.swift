/// What `kind:` asks for: what an entry is to the file system, or a family of types.
public enum QueryKind: String, CaseIterable, Hashable, Sendable {
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

extension QueryKind {
  /// How a kind is decided.
  public enum Test: Hashable, Sendable {
    /// By the column `kind` of the view `files`, which holds this word.
    case structure(String)
    /// By type: the entry conforms to one of these identifiers.
    case conformance([String])
  }

  /// How this kind is decided.
  public var test: Test {
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

  /// Finds the kind for a word as typed, in any letter case; `dir`, `folder`, `link` and `movie`
  /// are understood too.
  public init?(word: String) {
    let word = word.lowercased()
    if let kind = QueryKind(rawValue: word) ?? Self.synonyms[word] {
      self = kind
    } else {
      return nil
    }
  }

  private static let synonyms: [String: QueryKind] = [
    "dir": .directory, "folder": .directory, "link": .symlink, "movie": .video,
  ]
}
