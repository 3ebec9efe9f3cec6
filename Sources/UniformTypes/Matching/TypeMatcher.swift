/// Answers the type of names, fast enough to ask during a scan.
///
///     let matcher = TypeMatcher(.builtIn)
///     var name = "photo.JPG"
///     let match = name.withUTF8 { matcher.match($0, as: .file) }
///     TypeRegistry.builtIn.type(at: match.type).identifier  // "public.jpeg"
///
/// Works on the bytes of the name and on nothing else: no string, no allocation, no lock, no file.
/// Give each worker its own value; copying one costs a retain, asking it does not.
///
/// The rules, first hit wins, for regular files:
/// 1. literal names (`Makefile`), unless the file is executable and has no extension;
/// 2. the extension, of several components where one is declared (`tar.gz`);
/// 3. patterns (`*.so.[0-9]*`);
/// 4. no extension: `public.unix-executable` or `public.data`; else a dynamic type.
///
/// An extension is the text after the last dot. A dot that is the first byte, a dot that is the
/// last byte and a space after the dot make none. Upper and lower case are the same for ASCII
/// letters; other letters must be as declared. A directory takes a type from its extension only if
/// directories can have it; otherwise it is a plain one, dots or not. Everything else is typed by what
/// it is, never by its name.
public struct TypeMatcher: Sendable {
  private let table: NameTable

  init(_ table: NameTable) {
    self.table = table
  }

  /// The type of an entry.
  ///
  /// - Parameters:
  ///   - name: The bytes of the last path component, in any encoding or none.
  ///   - entryClass: What the entry is.
  /// - Complexity: Linear in the length of the extension for known extensions; names without one
  ///   are read once.
  public func match(
    _ name: UnsafeBufferPointer<UInt8>, as entryClass: EntryClass
  ) -> TypeMatch {
    switch entryClass {
    case .file:
      return matchFile(name, .file)
    case .executableFile:
      return matchFile(name, .executableFile)
    case .directory:
      return matchDirectory(name)
    case .symlink, .fifo, .socket, .blockDevice, .characterDevice, .volume:
      return TypeMatch(fallback(entryClass), [])
    }
  }

  // MARK: - Files and directories

  @inline(__always)
  private func matchFile(
    _ name: UnsafeBufferPointer<UInt8>, _ entryClass: EntryClass
  ) -> TypeMatch {
    let found = NameExtension(name)
    guard let first = name.first, let last = name.last else {
      return TypeMatch(fallback(.file), .mayBeSniffed)
    }
    if !found.exists, entryClass == .executableFile {
      return TypeMatch(fallback(.executableFile), .mayBeSniffed)
    }
    let lengths =
      table.literalLengths[Int(foldASCII(first))]
      & table.literalLengths[256 + Int(foldASCII(last))]
    if lengths &>> UInt64(min(name.count, 63)) & 1 != 0 {
      let type = literalType(name)
      if type != ExtensionAnswer.noType { return TypeMatch(TypeIndex(rawValue: type), []) }
    }
    if found.exists {
      let answer = answer(for: found, in: name, entryClass)
      if answer.file != ExtensionAnswer.noType {
        return TypeMatch(
          TypeIndex(rawValue: answer.file),
          answer.flags.contains(.isShared) ? .mayBeSniffed : [])
      }
    }
    return matchUndeclared(name, found, entryClass)
  }

  @inline(never)
  private func matchUndeclared(
    _ name: UnsafeBufferPointer<UInt8>, _ found: NameExtension, _ entryClass: EntryClass
  ) -> TypeMatch {
    if let type = patternType(name, entryClass) { return TypeMatch(type, []) }
    guard found.exists else {
      return TypeMatch(fallback(.file), [.mayBeSniffed, .isUndeclared])
    }
    return TypeMatch(undeclared: found.start, count: found.count)
  }

  /// The type of the first pattern that matches. Sets of 64 patterns are narrowed down by the first
  /// and the last byte of the name before any pattern is tried.
  private func patternType(
    _ name: UnsafeBufferPointer<UInt8>, _ entryClass: EntryClass
  ) -> TypeIndex? {
    guard let first = name.first, let last = name.last else { return nil }
    for group in 0..<table.patternGroupCount {
      let filters = table.patternFilters + group * PatternFilters.stride
      var candidates = filters[Int(foldASCII(first))] & filters[256 + Int(foldASCII(last))]
      if candidates & table.dottedPatterns[group] != 0, !name.contains(UInt8(ascii: ".")) {
        candidates &= ~table.dottedPatterns[group]
      }
      while candidates != 0 {
        let index = group * 64 + candidates.trailingZeroBitCount
        candidates &= candidates - 1
        let pattern = table.patterns[index]
        guard pattern.suitsExecutables || entryClass != .executableFile else { continue }
        let bytes = UnsafeBufferPointer(
          start: table.keyBytes + Int(pattern.offset), count: Int(pattern.count))
        if matchesGlob(name, bytes) { return TypeIndex(rawValue: pattern.type) }
      }
    }
    return nil
  }

  @inline(__always)
  private func matchDirectory(_ name: UnsafeBufferPointer<UInt8>) -> TypeMatch {
    let found = NameExtension(name)
    if found.exists {
      let answer = answer(for: found, in: name, .directory)
      if answer.directory != ExtensionAnswer.noType {
        var flags: TypeMatch.Flags = []
        if answer.flags.contains(.isPackage) { flags.insert(.isPackage) }
        if answer.flags.contains(.needsEvidence) { flags.insert(.needsEvidence) }
        return TypeMatch(TypeIndex(rawValue: answer.directory), flags)
      }
    }
    return TypeMatch(fallback(.directory), [])
  }

  @inline(__always)
  private func fallback(_ entryClass: EntryClass) -> TypeIndex {
    TypeIndex(rawValue: table.fallbacks[Int(entryClass.rawValue)])
  }

  // MARK: - Tables

  @inline(__always)
  private func answer(
    for found: NameExtension, in name: UnsafeBufferPointer<UInt8>, _ entryClass: EntryClass
  ) -> ExtensionAnswer {
    let answer = found.isShort ? shortAnswer(found.key) : longAnswer(found, name)
    return answer.flags.contains(.endsCompound)
      ? compoundAnswer(answer, found, name, entryClass) : answer
  }

  @inline(__always)
  private func shortAnswer(_ key: UInt64) -> ExtensionAnswer {
    var position = Int(
      truncatingIfNeeded: NameTable.hash(short: key, seed: table.seed) &>> table.shortShift)
    while true {
      let slot = table.short + position
      if slot.pointee.key == key { return slot.pointee.answer }
      if slot.pointee.key == 0 { return ExtensionAnswer() }
      position = (position &+ 1) & table.shortMask
    }
  }

  /// Looks up an extension of eight bytes or more,
  @inline(never)
  private func longAnswer(
    _ found: NameExtension, _ name: UnsafeBufferPointer<UInt8>
  ) -> ExtensionAnswer {
    let bytes = UnsafeBufferPointer(rebasing: name[found.start..<found.start + found.count])
    return answer(for: bytes, in: table.long, mask: table.longMask)
  }

  /// Tries the components before the last one; the longest declared extension wins.
  @inline(never)
  private func compoundAnswer(
    _ shortest: ExtensionAnswer, _ found: NameExtension, _ name: UnsafeBufferPointer<UInt8>,
    _ entryClass: EntryClass
  ) -> ExtensionAnswer {
    var best = shortest
    var last = shortest
    var current = found
    while last.flags.contains(.endsCompound), let longer = current.extended(in: name) {
      last = longer.isShort ? shortAnswer(longer.key) : longAnswer(longer, name)
      let type = entryClass == .directory ? last.directory : last.file
      if type != ExtensionAnswer.noType { best = last }
      current = longer
    }
    return best
  }

  @inline(never)
  private func literalType(_ name: UnsafeBufferPointer<UInt8>) -> UInt16 {
    answer(for: name, in: table.literals, mask: table.literalMask).file
  }

  private func answer(
    for bytes: UnsafeBufferPointer<UInt8>, in slots: UnsafePointer<LongSlot>, mask: Int
  ) -> ExtensionAnswer {
    let hash = foldedHash(bytes, seed: table.seed)
    var position = Int(truncatingIfNeeded: hash >> 20) & mask
    while slots[position].hash != 0 {
      let slot = slots[position]
      if slot.hash == hash {
        let key = UnsafeBufferPointer(
          start: table.keyBytes + Int(slot.offset), count: Int(slot.count))
        if equalFolded(key, bytes) { return slot.answer }
      }
      position = (position + 1) & mask
    }
    return ExtensionAnswer()
  }
}

/// The answer of a `TypeMatcher` for one name.
public struct TypeMatch: Hashable, Sendable {
  /// Facts about an answer that a scanner acts on.
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The directory is shown as one item.
    public static let isPackage = Flags(rawValue: 1)
    /// The extension is an ordinary word: the directory has the type only if it has the inside of
    /// one. `TypeRegistry.resolve(_:hasChild:)` gives the final type, a plain directory if not.
    public static let needsEvidence = Flags(rawValue: 2)
    /// The name does not settle the type: there is no extension, an unknown one, or one that
    /// several formats share. Reading the first bytes would tell more.
    public static let mayBeSniffed = Flags(rawValue: 4)
    /// Nothing in the name is declared: the type is that of any file, or dynamic. A layer below, if
    /// there is one, may know more.
    public static let isUndeclared = Flags(rawValue: 8)
  }

  /// The declared type, or `TypeIndex.none` when the extension is unknown and the type therefore
  /// dynamic.
  public let type: TypeIndex
  /// What the scanner should know besides.
  public let flags: Flags
  private let extensionStart: UInt32
  private let extensionCount: UInt32

  @inline(__always)
  init(_ type: TypeIndex, _ flags: Flags) {
    self.type = type
    self.flags = flags
    extensionStart = 0
    extensionCount = 0
  }

  @inline(__always)
  init(undeclared start: Int, count: Int) {
    type = .none
    flags = [.mayBeSniffed, .isUndeclared]
    extensionStart = UInt32(truncatingIfNeeded: start)
    extensionCount = UInt32(truncatingIfNeeded: count)
  }

  /// The bytes after the last dot of the name when they are an undeclared extension: what
  /// `TypeRegistry.dynamicType(forExtension:as:)` wants. `nil` for a declared type.
  public var extensionRange: Range<Int>? {
    guard extensionCount > 0 else { return nil }
    return Int(extensionStart)..<Int(extensionStart) + Int(extensionCount)
  }
}

/// What a directory entry is, as far as typing cares.
public enum EntryClass: UInt8, Sendable, CaseIterable {
  /// A regular file that nobody may execute.
  case file
  /// A regular file with any of its three execute bits set.
  case executableFile
  /// A directory that is not the root of a volume.
  case directory
  /// A symbolic link, whatever it points to.
  case symlink
  /// A named pipe.
  case fifo
  /// A socket in the file system.
  case socket
  /// A block device.
  case blockDevice
  /// A character device.
  case characterDevice
  /// A directory that is the root of a mounted file system.
  case volume

  /// The identifier of the type that an entry has when its name says nothing.
  public var fallbackIdentifier: String {
    switch self {
    case .file: "public.data"
    case .executableFile: "public.unix-executable"
    case .directory: "public.folder"
    case .symlink: "public.symlink"
    case .fifo: "public.named-pipe"
    case .socket: "public.socket"
    case .blockDevice: "public.block-special"
    case .characterDevice: "public.character-special"
    case .volume: "public.volume"
    }
  }
}

/// The extension of a name, found by reading the name once from its end.
///
/// While reading, the folded bytes are packed into a key, so that an extension of up to seven bytes
/// (nearly all are) needs no second look: the key is the extension.
struct NameExtension {
  /// Index of the first byte after the dot; meaningful if `exists`.
  let start: Int
  /// Length in bytes; zero when there is no extension.
  let count: Int
  /// The folded bytes, the first in the lowest byte, below a leading 1. Exact for `count` up to 7.
  let key: UInt64

  var exists: Bool { count > 0 }
  var isShort: Bool { count <= 7 }

  @inline(__always)
  init(_ name: UnsafeBufferPointer<UInt8>) {
    var key: UInt64 = 1
    var index = name.count
    // Stops above index 0: a dot there hides a file, it does not begin an extension.
    while index > 1 {
      let byte = name[index - 1]
      if byte == UInt8(ascii: ".") {
        start = index
        count = name.count - index
        self.key = key
        return
      }
      if byte == UInt8(ascii: " ") { break }
      key = key << 8 | UInt64(foldASCII(byte))
      index -= 1
    }
    start = name.count
    count = 0
    self.key = 1
  }

  private init(start: Int, count: Int, key: UInt64) {
    self.start = start
    self.count = count
    self.key = key
  }

  /// The extension with one more component (`gz` becomes `tar.gz`), or `nil` when the name has no
  /// further dot that could begin one.
  func extended(in name: UnsafeBufferPointer<UInt8>) -> NameExtension? {
    var key = key << 8 | UInt64(UInt8(ascii: "."))
    var index = start - 1
    while index > 1 {
      let byte = name[index - 1]
      if byte == UInt8(ascii: ".") {
        guard index < start - 1 else { return nil }
        return NameExtension(start: index, count: name.count - index, key: key)
      }
      if byte == UInt8(ascii: " ") { return nil }
      key = key << 8 | UInt64(foldASCII(byte))
      index -= 1
    }
    return nil
  }
}
