/// Bytes at a fixed place that tell a format.
struct Signature {
  let offset: Int
  let bytes: [UInt8]
  let identifier: String

  init(_ text: String, at offset: Int = 0, _ identifier: String) {
    self.offset = offset
    // Code points up to U+00FF stand for bytes.
    bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    self.identifier = identifier
  }

  /// Whether it is a short word of letters, digits and spaces.
  var isWord: Bool {
    bytes.count <= 6
      && bytes.allSatisfy { byte in
        byte == 0x20 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
      }
  }

  /// The formats that need no more than a comparison, the longer signature before the shorter one.
  /// Facts of the formats' own specifications.
  static let all: [Signature] = [
    // Images
    Signature("\u{89}PNG\r\n\u{1A}\n", "public.png"),
    Signature("\u{FF}\u{D8}\u{FF}", "public.jpeg"),
    Signature("GIF87a", "com.compuserve.gif"),
    Signature("GIF89a", "com.compuserve.gif"),
    Signature("II*\0", "public.tiff"),
    Signature("MM\0*", "public.tiff"),
    Signature("8BPS\0\u{1}", "com.adobe.photoshop-image"),
    Signature("8BPS\0\u{2}", "com.adobe.photoshop-large-image"),
    Signature("\0\0\0\u{C}jP  \r\n\u{87}\n", "public.jpeg-2000"),
    Signature("\0\0\0\u{C}JXL \r\n\u{87}\n", "public.jpeg-xl"),
    Signature("\u{FF}\u{A}", "public.jpeg-xl"),
    Signature("gimp xcf ", "org.gimp.xcf"),
    Signature("icns", "com.apple.icns"),
    Signature("v/1\u{1}", "com.ilm.openexr-image"),
    Signature("DDS ", "com.microsoft.dds"),
    Signature("qoif", "org.qoiformat.qoi"),
    Signature("SIMPLE  =", "org.filecatalog.fits-image"),
    Signature("#?RADIANCE\n", "public.radiance"),
    Signature("AT&TFORM", "org.filecatalog.djvu"),
    Signature("\u{0}\u{0}\u{1}\u{0}", "com.microsoft.ico"),
    Signature("/* XPM */", "org.filecatalog.xpm-image"),
    // Documents
    Signature("%PDF-", "com.adobe.pdf"),
    Signature("%!PS-Adobe-3.0 EPSF", "com.adobe.encapsulated-postscript"),
    Signature("%!PS", "com.adobe.postscript"),
    Signature("{\\rtf", "public.rtf"),
    // Archives and compressed files
    Signature("\u{1F}\u{8B}\u{8}", "org.gnu.gnu-zip-archive"),
    Signature("BZh", "public.bzip2-archive"),
    Signature("\u{FD}7zXZ\0", "org.tukaani.xz-archive"),
    Signature("(\u{B5}/\u{FD}", "com.facebook.zstandard"),
    Signature("\u{4}\"M\u{18}", "org.lz4.lz4"),
    Signature("LZIP\u{1}", "org.nongnu.lzip"),
    Signature("\u{89}LZO\0\r\n\u{1A}\n", "org.lzop.lzo"),
    Signature("7z\u{BC}\u{AF}'\u{1C}", "org.7-zip.7-zip-archive"),
    Signature("Rar!\u{1A}\u{7}", "com.rarlab.rar-archive"),
    Signature("\u{1F}\u{9D}", "public.z-archive"),
    Signature("!<arch>\ndebian-binary", "org.debian.deb-archive"),
    Signature("!<arch>\n", "org.filecatalog.static-library"),
    Signature("!<thin>\n", "org.filecatalog.static-library"),
    Signature("\u{ED}\u{AB}\u{EE}\u{DB}", "com.redhat.rpm-archive"),
    Signature("MSCF\0\0\0\0", "com.microsoft.cab"),
    Signature("xar!", "com.apple.xar-archive"),
    Signature("070707", "public.cpio-archive"),
    Signature("070701", "public.cpio-archive"),
    Signature("070702", "public.cpio-archive"),
    Signature("ustar", at: 257, "public.tar-archive"),
    Signature("hsqs", "org.squashfs.image"),
    Signature("QFI\u{FB}", "org.qemu.qcow"),
    Signature("KDMV", "com.vmware.vmdk"),
    Signature("conectix", "com.microsoft.vhd"),
    Signature("vhdxfile", "com.microsoft.vhd"),
    Signature("MSWIM\0\0\0", "com.microsoft.windows-image"),
    // Sound and pictures in motion
    Signature("fLaC", "org.xiph.flac"),
    Signature("ID3", "public.mp3"),
    Signature("MThd", "public.midi-audio"),
    Signature(".snd", "public.au-audio"),
    Signature("#!AMR", "org.3gpp.adaptive-multi-rate-audio"),
    Signature("caff\0\u{1}", "com.apple.coreaudio-format"),
    Signature("MAC ", "org.videolan.ape"),
    Signature("wvpk", "org.videolan.wv"),
    Signature("TTA1", "org.videolan.tta"),
    Signature("Extended Module: ", "org.videolan.xm"),
    Signature("IMPM", "org.videolan.it"),
    Signature("FLV\u{1}", "com.adobe.flash.video"),
    Signature("\u{0}\u{0}\u{1}\u{BA}", "public.mpeg"),
    Signature("\u{0}\u{0}\u{1}\u{B3}", "public.mpeg"),
    Signature(
      "0&\u{B2}u\u{8E}f\u{CF}\u{11}", "com.microsoft.advanced-systems-format"),
    Signature(".RMF", "com.real.realmedia"),
    // Fonts
    Signature("wOFF", "org.w3.woff"),
    Signature("wOF2", "org.w3.woff2"),
    Signature("OTTO", "public.opentype-font"),
    Signature("ttcf", "public.truetype-collection-font"),
    Signature("\0\u{1}\0\0\0", "public.truetype-ttf-font"),
    Signature("\u{1}fcp", "org.filecatalog.x11-bitmap-font"),
    Signature("%!FontType1", "com.adobe.postscript-pfa-font"),
    Signature("%!PS-AdobeFont", "com.adobe.postscript-pfa-font"),
    // Programs and data
    Signature("\0asm", "org.webassembly.wasm"),
    Signature("BC\u{C0}\u{DE}", "org.llvm.bitcode"),
    Signature("dex\n03", "com.google.android.dex"),
    Signature("\u{1B}Lua", "org.lua.lua-bytecode"),
    Signature("SQLite format 3\0", "org.sqlite.database"),
    Signature("bplist0", "com.apple.binary-property-list"),
    Signature("PACK\0\0\0", "org.git-scm.pack"),
    Signature("\u{FF}tOc", "org.git-scm.pack-index"),
    Signature("DIRC\0\0\0", "org.filecatalog.git-attributes"),
    Signature("\u{DE}\u{12}\u{4}\u{95}", "org.gnu.gettext.mo"),
    Signature("\u{95}\u{4}\u{12}\u{DE}", "org.gnu.gettext.mo"),
    Signature("\u{D4}\u{C3}\u{B2}\u{A1}", "org.filecatalog.packet-capture"),
    Signature("\u{A1}\u{B2}\u{C3}\u{D4}", "org.filecatalog.packet-capture"),
    Signature("\u{A}\r\r\n", "org.filecatalog.packet-capture"),
    Signature("\u{89}HDF\r\n\u{1A}\n", "org.hdfgroup.hdf5"),
    Signature("CDF\u{1}", "edu.ucar.netcdf"),
    Signature("CDF\u{2}", "edu.ucar.netcdf"),
    Signature("PAR1", "org.apache.parquet"),
    Signature("ARROW1\0\0", "org.apache.arrow"),
    Signature("Obj\u{1}", "org.apache.avro"),
    Signature("\u{93}NUMPY", "org.numpy.array"),
    Signature("GGUF", "org.ggml.gguf"),
    Signature("glTF", "org.khronos.glb"),
    Signature("BLENDER", "org.blender.blend"),
    Signature("Kaydara FBX Binary", "com.autodesk.fbx"),
    Signature("d8:announce", "org.filecatalog.torrent"),
    Signature("LPKSHHRH", "io.systemd.journal"),
    Signature("Xcur", "org.filecatalog.x11-cursor"),
    // Text with a first line of its own
    Signature("-----BEGIN CERTIFICATE-----", "public.x509-certificate"),
    Signature("-----BEGIN CERTIFICATE REQUEST-----", "org.filecatalog.certificate-request"),
    Signature("-----BEGIN PGP", "org.gnupg.armored"),
    Signature("-----BEGIN OPENSSH PRIVATE KEY-----", "org.filecatalog.private-key"),
    Signature("-----BEGIN PRIVATE KEY-----", "org.filecatalog.private-key"),
    Signature("-----BEGIN RSA PRIVATE KEY-----", "org.filecatalog.private-key"),
    Signature("-----BEGIN EC PRIVATE KEY-----", "org.filecatalog.private-key"),
    Signature("-----BEGIN ENCRYPTED PRIVATE KEY-----", "org.filecatalog.private-key"),
    Signature("BEGIN:VCARD", "public.vcard"),
    Signature("BEGIN:VCALENDAR", "com.apple.ical.ics"),
    Signature("WEBVTT", "org.w3.webvtt"),
    Signature("#EXTM3U", "public.m3u-playlist"),
    Signature("[playlist]", "public.pls-playlist"),
    Signature("[Desktop Entry]", "org.freedesktop.desktop-entry"),
    Signature("diff --git ", "public.patch-file"),
  ].sorted { $0.bytes.count > $1.bytes.count }
}
