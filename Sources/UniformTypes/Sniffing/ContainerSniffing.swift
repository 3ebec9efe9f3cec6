/// Formats whose first bytes only name a container: what is inside takes a second look.
enum ContainerSniffing {
  static func identifier(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
    switch bytes[0] {
    case UInt8(ascii: "P") where bytes.holds("PK\u{3}\u{4}", at: 0): zip(bytes)
    case 0x7F where bytes.holds("\u{7F}ELF", at: 0): elf(bytes)
    case UInt8(ascii: "R") where bytes.holds("RIFF", at: 0): riff(bytes)
    case UInt8(ascii: "F") where bytes.holds("FORM", at: 0): form(bytes)
    case UInt8(ascii: "O") where bytes.holds("OggS", at: 0): ogg(bytes)
    case UInt8(ascii: "M") where bytes.holds("MZ", at: 0): portableExecutable(bytes)
    case UInt8(ascii: "B") where bytes.holds("BM", at: 0): bitmap(bytes)
    case 0x1A where bytes.holds([0x1A, 0x45, 0xDF, 0xA3], at: 0): matroska(bytes)
    case 0xCA where bytes.holds([0xCA, 0xFE, 0xBA, 0xBE], at: 0): classOrUniversal(bytes)
    case 0xCE, 0xCF, 0xFE: machO(bytes)
    case 0xD0 where bytes.holds([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], at: 0):
      compoundFile(bytes)
    case 0xFF where bytes.count > 3: mpegAudio(bytes)
    case 0x47 where bytes.count > 376 && bytes[188] == 0x47 && bytes[376] == 0x47:
      "public.mpeg-2-transport-stream"
    default: pythonBytecode(bytes) ?? isoBaseMedia(bytes)
    }
  }

  // MARK: - Archives

  /// The first entry of a ZIP archive names what it is: OpenDocument and EPUB put a file `mimetype`
  /// there, others have a well-known name near the beginning.
  private static func zip(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let nameLength = bytes.uint16(at: 26)
    let content = 30 + nameLength + bytes.uint16(at: 28)
    if nameLength == 8, bytes.holds("mimetype", at: 30) {
      let openDocument = "application/vnd.oasis.opendocument." as StaticString
      if bytes.holds("application/epub+zip", at: content) { return "org.idpf.epub-container" }
      if bytes.holds(openDocument, at: content) {
        let kind = content + openDocument.utf8CodeUnitCount
        if bytes.holds("text", at: kind) { return "org.oasis-open.opendocument.text" }
        if bytes.holds("spreadsheet", at: kind) {
          return "org.oasis-open.opendocument.spreadsheet"
        }
        if bytes.holds("presentation", at: kind) {
          return "org.oasis-open.opendocument.presentation"
        }
        if bytes.holds("graphics", at: kind) { return "org.oasis-open.opendocument.graphics" }
        return "org.oasis-open.opendocument"
      }
      if bytes.holds("application/x-krita", at: content) { return "org.kde.krita" }
      if bytes.holds("image/openraster", at: content) { return "org.openraster.ora" }
    }
    let limit = ContentSniffer.prefixLength
    if bytes.holds("[Content_Types].xml", at: 30) || bytes.holds("_rels/", at: 30)
      || bytes.holds("docProps", at: 30)
    {
      if bytes.finds("word/", within: limit) {
        return "org.openxmlformats.wordprocessingml.document"
      }
      if bytes.finds("xl/", within: limit) { return "org.openxmlformats.spreadsheetml.sheet" }
      if bytes.finds("ppt/", within: limit) {
        return "org.openxmlformats.presentationml.presentation"
      }
      return "org.openxmlformats.openxml"
    }
    if bytes.holds("AndroidManifest.xml", at: 30) || bytes.holds("classes.dex", at: 30) {
      return "vnd.android.package-archive"
    }
    if bytes.holds("META-INF/", at: 30) { return "com.sun.java-archive" }
    return "public.zip-archive"
  }

  // MARK: - Programs

  /// The field e_type: 1 object, 2 program, 3 program or library, 4 core dump. A
  /// position-independent program asks for an interpreter (program header of type 3), a library
  /// does not.
  private static func elf(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard bytes.count > 20 else { return "public.elf-binary" }
    let isLittleEndian = bytes[5] != 2
    func half(_ offset: Int) -> Int {
      let value = bytes.uint16(at: offset)
      return isLittleEndian ? value : (value & 0xFF) << 8 | value >> 8
    }
    switch half(16) {
    case 1: return "public.object-code"
    case 2: return "org.filecatalog.elf-executable"
    case 3:
      return asksForInterpreter(bytes, isLittleEndian, half)
        ? "org.filecatalog.elf-executable" : "org.filecatalog.elf-shared-library"
    case 4: return "org.filecatalog.elf-core-dump"
    default: return "public.elf-binary"
    }
  }

  private static func asksForInterpreter(
    _ bytes: UnsafeBufferPointer<UInt8>, _ isLittleEndian: Bool, _ half: (Int) -> Int
  ) -> Bool {
    let is64Bit = bytes[4] == 2
    // The table of program headers follows the file header in every linker's output.
    let start = is64Bit ? 64 : 52
    let size = half(is64Bit ? 54 : 42)
    let count = half(is64Bit ? 56 : 44)
    guard size >= 32 else { return false }
    return (0..<min(count, 32)).contains { index in
      let offset = start + index * size
      return isLittleEndian
        ? bytes.uint32(at: offset) == 3 : bytes.uint32(at: offset) == 0x0300_0000
    }
  }

  private static func machO(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let isLittle =
      bytes.holds([0xCE, 0xFA, 0xED, 0xFE], at: 0) || bytes.holds([0xCF, 0xFA, 0xED, 0xFE], at: 0)
    let isBig =
      bytes.holds([0xFE, 0xED, 0xFA, 0xCE], at: 0) || bytes.holds([0xFE, 0xED, 0xFA, 0xCF], at: 0)
    guard isLittle || isBig, bytes.count > 16 else { return nil }
    switch isLittle ? bytes[12] : bytes[15] {
    case 1: return "com.apple.mach-o-object"
    case 2: return "com.apple.mach-o-executable"
    case 4: return "com.apple.mach-o-core"
    case 6: return "com.apple.mach-o-dylib"
    case 8: return "com.apple.mach-o-bundle"
    default: return "com.apple.mach-o-binary"
    }
  }

  /// Java classes and universal Mach-O binaries share their magic number. What follows is a version
  /// of at least 45 in the one and a small count in the other.
  private static func classOrUniversal(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard bytes.count > 7 else { return nil }
    let number = Int(bytes[6]) << 8 | Int(bytes[7])
    return number >= 45 ? "com.sun.java-class" : "com.apple.mach-o-binary"
  }

  private static func portableExecutable(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let header = bytes.uint32(at: 60)
    guard header >= 64 else { return nil }
    guard bytes.holds("PE\0\0", at: header) else { return "com.microsoft.windows-executable" }
    // Characteristics, bit 13: a library.
    return bytes.uint16(at: header + 22) & 0x2000 != 0
      ? "com.microsoft.windows-dynamic-link-library" : "com.microsoft.windows-executable"
  }

  /// Compiled Python begins with a version number and "\r\n", then flags of which few are in use.
  private static func pythonBytecode(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard bytes.count >= 16, bytes[2] == 0x0D, bytes[3] == 0x0A, (0x0C...0x0F).contains(bytes[1]),
      bytes.uint32(at: 4) < 4
    else { return nil }
    return "public.python-bytecode"
  }

  // MARK: - Media

  private static func riff(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    if bytes.holds("WEBP", at: 8) { return "org.webmproject.webp" }
    if bytes.holds("WAVE", at: 8) { return "com.microsoft.waveform-audio" }
    if bytes.holds("AVI ", at: 8) { return "public.avi" }
    if bytes.holds("ACON", at: 8) { return "com.microsoft.windows-cursor" }
    if bytes.holds("sfbk", at: 8) { return "com.soundblaster.soundfont" }
    if bytes.holds("RMID", at: 8) { return "org.videolan.rmi" }
    return nil
  }

  private static func form(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    if bytes.holds("AIFF", at: 8) { return "public.aiff-audio" }
    if bytes.holds("AIFC", at: 8) { return "public.aifc-audio" }
    return nil
  }

  /// The first page of an Ogg stream names the codec.
  private static func ogg(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    if bytes.holds("OpusHead", at: 28) { return "org.xiph.opus" }
    if bytes.holds("\u{1}vorbis", at: 28) { return "org.xiph.ogg-audio" }
    if bytes.holds([0x80, 0x74, 0x68, 0x65, 0x6F, 0x72, 0x61], at: 28) { return "org.xiph.ogv" }
    if bytes.holds("Speex   ", at: 28) { return "org.xiph.speex" }
    return "org.xiph.ogg-audio"
  }

  private static func matroska(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    bytes.finds("webm", within: 64) ? "org.webmproject.webm" : "org.matroska.mkv"
  }

  private static func isoBaseMedia(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard bytes.holds("ftyp", at: 4) else {
      let isQuickTime =
        bytes.holds("moov", at: 4) || bytes.holds("mdat", at: 4) || bytes.holds("wide", at: 4)
      return isQuickTime ? "com.apple.quicktime-movie" : nil
    }
    let brands: [(StaticString, String)] = [
      ("heic", "public.heic"), ("heix", "public.heic"), ("hevc", "public.heics"),
      ("mif1", "public.heif"), ("msf1", "public.heifs"), ("avif", "public.avif"),
      ("avis", "public.avif"), ("M4A ", "com.apple.m4a-audio"),
      ("M4B ", "com.apple.protected-mpeg-4-audio-b"), ("M4V ", "com.apple.m4v-video"),
      ("qt  ", "com.apple.quicktime-movie"), ("3g2", "public.3gpp2"), ("3gp", "public.3gpp"),
      ("crx ", "com.canon.cr3-raw-image"), ("jp2 ", "public.jpeg-2000"),
    ]
    return brands.first { bytes.holds($0.0, at: 8) }?.1 ?? "public.mpeg-4"
  }

  /// An MPEG audio frame begins with eleven set bits; version and layer must not be the reserved
  /// ones, nor bit rate and sampling rate.
  private static func mpegAudio(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard bytes[1] & 0xE0 == 0xE0, bytes[1] & 0x18 != 0x08 else { return nil }
    if bytes[1] & 0xF6 == 0xF0 { return "public.aac-audio" }
    guard bytes[2] & 0xF0 != 0xF0, bytes[2] & 0xF0 != 0, bytes[2] & 0x0C != 0x0C else { return nil }
    switch bytes[1] & 0x06 {
    case 0x02: return "public.mp3"
    case 0x04: return "public.mp2"
    default: return nil
    }
  }

  /// A Windows bitmap: "BM" alone is too little; the size of its second header settles it.
  private static func bitmap(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    [12, 40, 52, 56, 64, 108, 124].contains(bytes.uint32(at: 14)) ? "com.microsoft.bmp" : nil
  }

  /// An OLE compound file: the name of a stream, in UTF-16, tells the program.
  private static func compoundFile(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let limit = ContentSniffer.prefixLength
    if bytes.finds("W\0o\0r\0d\0D\0o\0c\0", within: limit) { return "com.microsoft.word.doc" }
    if bytes.finds("W\0o\0r\0k\0b\0o\0o\0k\0", within: limit) {
      return "com.microsoft.excel.xls"
    }
    if bytes.finds("P\0o\0w\0e\0r\0P\0o\0i\0n\0t\0", within: limit) {
      return "com.microsoft.powerpoint.ppt"
    }
    return nil
  }
}
