internal import CatalogStore
internal import FileSystem
internal import UniformTypes

/// The types of names in the numbers of a catalog: the one way in which scans, retyping and sniffing
/// come to them. One for each thread.
struct NameTyping {
  private let matcher: TypeMatcher
  private let numbering: TypeNumbering
  private lazy var systemNames = numbering.systemNames
  /// By rule of the system; `nil` where no type came of it.
  private var system: [TypeIndex: Int32?] = [:]
  private var dynamic: [ExtensionKey: Int32] = [:]

  private struct ExtensionKey: Hashable {
    let bytes: [UInt8]
    let entryClass: EntryClass
  }

  /// What a name says.
  struct Answer {
    let number: Int32
    /// The declared type; for a type of the system and for a dynamic one, what a name without any
    /// meaning leads to.
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
    if match.flags.contains(.isUndeclared) { return undeclared(name, match, as: entryClass) }
    return Answer(
      number: numbering.number(of: match.type), match: match,
      mayBeSniffed: match.flags.contains(.mayBeSniffed))
  }

  /// Asks the system about a name, and makes a dynamic type of an extension it does not know.
  @inline(never)
  private mutating func undeclared(
    _ name: UnsafeBufferPointer<UInt8>, _ match: TypeMatch, as entryClass: EntryClass
  ) -> Answer {
    if let number = systemNumber(of: name, as: entryClass) {
      return Answer(number: number, match: match, mayBeSniffed: false)
    }
    let number =
      match.extensionRange.map {
        dynamicNumber(UnsafeBufferPointer(rebasing: name[$0]), as: entryClass)
      } ?? numbering.number(of: match.type)
    return Answer(number: number, match: match, mayBeSniffed: true)
  }

  private mutating func systemNumber(
    of name: UnsafeBufferPointer<UInt8>, as entryClass: EntryClass
  ) -> Int32? {
    guard let names = systemNames, let index = names.match(name, as: entryClass) else {
      return nil
    }
    if let number = system[index] { return number }
    let number = numbering.number(ofSystemRule: names[index])
    system[index] = .some(number)
    return number
  }

  private mutating func dynamicNumber(
    _ bytes: UnsafeBufferPointer<UInt8>, as entryClass: EntryClass
  ) -> Int32 {
    let key = ExtensionKey(bytes: Array(bytes), entryClass: entryClass)
    if let number = dynamic[key] { return number }
    let number = numbering.number(ofDynamicExtension: bytes, as: entryClass)
    dynamic[key] = number
    return number
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

/// Which directories are worth asking whether a Mac has marked them as packages.
///
/// The mark is looked up with two or three system calls, so only directories are asked whose name
/// has an extension that nobody declares: applications for the Mac give their documents one. A
/// number is none: `v1.2` and `python3.11` are versions.
enum BundleNames {
  /// The identifier of the type of a package whose name says nothing.
  static let package = "com.apple.package"

  static func mayBeBundle(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
    let text = name[(dot + 1)...]
    return !text.isEmpty && !text.contains(UInt8(ascii: " "))
      && !text.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
  }
}
