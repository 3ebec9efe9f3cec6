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
/// directories can have it; otherwise it is a folder, dots or not. Everything else is typed by what
/// it is, never by its name.
public struct TypeMatcher: Sendable {
  private let table: NameTable

  /// Makes a matcher over the tables of a registry, which it keeps alive.
  public init(_ registry: TypeRegistry) {
    table = registry.storage.nameTable
  }

  /// The type of an entry.
  ///
  /// - Parameters:
  ///   - name: the bytes of the last path component, in any encoding or none.
  ///   - entryClass: what the entry is.
  /// - Complexity: linear in the length of the extension for known extensions; names without one
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
    var position = Int(truncatingIfNeeded: (key &* NameTable.multiplier) &>> table.shortShift)
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
    let hash = foldedHash(bytes)
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
