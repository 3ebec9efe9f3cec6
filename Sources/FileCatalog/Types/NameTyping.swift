internal import FileSystem
internal import UniformTypes

/// The types of names in the numbers of a catalog: the one way in which scans, retyping and sniffing
/// come to them. One for each thread.
struct NameTyping {
  private let matcher: TypeMatcher
  private let numbering: TypeNumbering
  private var undeclared: [ExtensionKey: TypeNumbering.Undeclared] = [:]

  private struct ExtensionKey: Hashable {
    let bytes: [UInt8]
    let entryClass: EntryClass
  }

  /// What a name says.
  struct Answer {
    let number: Int32
    /// The declared type; `none` for a type of the system and for a dynamic one.
    let match: TypeMatch
    /// Whether the first bytes of a file would tell more.
    let mayBeSniffed: Bool
  }

  init(_ numbering: TypeNumbering) {
    self.numbering = numbering
    matcher = TypeMatcher(numbering.registry)
  }

  /// The type of an entry. Of a package whose extension wants evidence, the type it would have.
  @inline(__always)
  mutating func type(
    of name: UnsafeBufferPointer<UInt8>, as entryClass: EntryClass
  ) -> Answer {
    let match = matcher.match(name, as: entryClass)
    guard let range = match.extensionRange else {
      return Answer(
        number: numbering.number(of: match.type), match: match,
        mayBeSniffed: match.flags.contains(.mayBeSniffed))
    }
    let type = undeclared(UnsafeBufferPointer(rebasing: name[range]), as: entryClass)
    return Answer(number: type.number, match: match, mayBeSniffed: type.isDynamic)
  }

  private mutating func undeclared(
    _ bytes: UnsafeBufferPointer<UInt8>, as entryClass: EntryClass
  ) -> TypeNumbering.Undeclared {
    let key = ExtensionKey(bytes: Array(bytes), entryClass: entryClass)
    if let type = undeclared[key] { return type }
    let type = numbering.undeclared(extension: bytes, as: entryClass)
    undeclared[key] = type
    return type
  }
}

extension EntryClass {
  /// What an entry is to the types, by what the file system says of it.
  @inline(__always)
  init(_ kind: EntryKind, _ status: borrowing FileStatus) {
    switch kind {
    case .file: self = status.mode & 0o111 != 0 ? .executableFile : .file
    case .directory, .package: self = status.isMountRoot ? .volume : .directory
    case .symlink: self = .symlink
    case .fifo: self = .fifo
    case .socket: self = .socket
    case .blockDevice: self = .blockDevice
    case .characterDevice: self = .characterDevice
    }
  }
}
