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
