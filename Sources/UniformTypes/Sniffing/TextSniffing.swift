/// Text: which kind, and whether it is text at all.
enum TextSniffing {
  static func identifier(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
    if bytes.holds([0xFF, 0xFE], at: 0) || bytes.holds([0xFE, 0xFF], at: 0) {
      return "public.utf16-external-plain-text"
    }
    let encoding = encoding(of: bytes)
    guard encoding != .binary else { return nil }
    let start = bytes.holds([0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
    if bytes.holds("#!", at: start) { return script(bytes, from: start + 2) }
    let content = bytes[start...].firstIndex { $0 > 0x20 } ?? bytes.count
    if bytes.holds("<?php", at: content) { return "public.php-script" }
    if bytes.holds("<", at: content) {
      if let markup = markup(bytes, from: content) { return markup }
    }
    if isJSON(bytes, from: content) { return "public.json" }
    return encoding == .utf8 ? "public.utf8-plain-text" : "public.plain-text"
  }

  // MARK: - Text or not

  /// What bytes can be read as.
  enum Encoding {
    case binary
    /// UTF-8, of which ASCII is a part.
    case utf8
    /// Letters beyond ASCII in some older encoding.
    case eightBit
  }

  /// Whether bytes are text, and in which encoding. Text has no control characters but white space,
  /// backspace, form feed and escape.
  static func encoding(of bytes: UnsafeBufferPointer<UInt8>) -> Encoding {
    var index = 0
    var isUTF8 = true
    var highCount = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x80 {
        guard byte >= 0x20 || (0x08...0x0D).contains(byte) || byte == 0x1B else { return .binary }
        index += 1
        continue
      }
      highCount += 1
      let length = isUTF8 ? characterLength(bytes, at: index) : 1
      if length == 0 { isUTF8 = false }
      index += max(length, 1)
    }
    if isUTF8 { return .utf8 }
    // An older encoding is plausible if most of the text is ASCII all the same.
    return highCount * 3 <= bytes.count ? .eightBit : .binary
  }

  /// The length of the UTF-8 character at an index, 0 if there is none. One that the end of the
  /// buffer cuts off counts as whole.
  private static func characterLength(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> Int {
    let length: Int
    switch bytes[index] {
    case 0xC2..<0xE0: length = 2
    case 0xE0..<0xF0: length = 3
    case 0xF0..<0xF5: length = 4
    default: return 0
    }
    let end = min(index + length, bytes.count)
    guard end < bytes.count || index > 0 else { return 0 }
    for next in index + 1..<max(end, index + 1) where bytes[next] & 0xC0 != 0x80 { return 0 }
    return end - index
  }

  // MARK: - Scripts

  /// The interpreter of a `#!` line; `env` passes on to its first argument that is no option.
  private static func script(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> String {
    let line = bytes[start...].prefix { $0 != 0x0A && $0 != 0x0D }.prefix(256)
    let words = line.split { $0 == 0x20 || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }
    func program(_ path: String) -> String {
      path.split(separator: "/").last.map(String.init) ?? path
    }
    var name = words.first.map(program) ?? ""
    if name == "env" {
      name =
        words.dropFirst().first { !$0.hasPrefix("-") && !$0.contains("=") }.map(program) ?? ""
    }
    // Versions are part of names: python3.11, perl5, lua5.4.
    let bare = name.prefix { $0.isLetter }
    return interpreters[String(bare)] ?? "public.script"
  }

  private static let interpreters: [String: String] = [
    "sh": "public.shell-script", "dash": "public.shell-script", "ash": "public.shell-script",
    "busybox": "public.shell-script", "bash": "public.bash-script", "zsh": "public.zsh-script",
    "ksh": "public.ksh-script", "mksh": "public.ksh-script", "csh": "public.csh-script",
    "tcsh": "public.tcsh-script", "fish": "sh.fishshell.fish-script",
    "python": "public.python-script", "pypy": "public.python-script",
    "perl": "public.perl-script", "ruby": "public.ruby-script", "php": "public.php-script",
    "node": "com.netscape.javascript-source", "nodejs": "com.netscape.javascript-source",
    "deno": "com.microsoft.typescript", "bun": "com.microsoft.typescript",
    "lua": "org.lua.lua-source", "luajit": "org.lua.lua-source",
    "tclsh": "tk.tcl.tcl-script", "wish": "tk.tcl.tcl-script",
    "expect": "org.filecatalog.expect-script", "awk": "org.filecatalog.awk-script",
    "gawk": "org.filecatalog.awk-script", "mawk": "org.filecatalog.awk-script",
    "sed": "org.filecatalog.sed-script", "make": "public.make-source",
    "Rscript": "org.r-project.r-source", "swift": "public.swift-source",
    "pwsh": "com.microsoft.powershell-script", "guile": "org.gnu.guile.scheme-source",
    "ocaml": "org.ocaml.ocaml-source", "escript": "org.erlang.erlang-source",
    "elixir": "org.elixir-lang.elixir-source", "groovy": "org.apache.groovy-source",
    "stap": "public.script", "gnuplot": "org.gnuplot.script",
    "runhaskell": "org.haskell.haskell-source", "emacs": "org.gnu.emacs-lisp",
  ]

  // MARK: - Markup

  private static func markup(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> String? {
    let root = rootElement(bytes, from: start)
    if let identifier = roots[root.name.lowercased()] { return identifier }
    return root.isXML ? "public.xml" : nil
  }

  /// The name of the first element, past the declaration, comments and the document type.
  private static func rootElement(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> (name: String, isXML: Bool) {
    var index = start
    var isXML = false
    while index < bytes.count {
      guard let open = bytes[index...].firstIndex(of: UInt8(ascii: "<")), open + 1 < bytes.count
      else { break }
      if bytes.holds("<?xml", at: open) { isXML = true }
      switch bytes[open + 1] {
      case UInt8(ascii: "?"):
        index = end(of: "?>", bytes, after: open)
      case UInt8(ascii: "!") where bytes.holds("<!--", at: open):
        index = end(of: "-->", bytes, after: open)
      case UInt8(ascii: "!"):
        let name = String(decoding: bytes[open...].prefix(14), as: UTF8.self).lowercased()
        if name == "<!doctype html" { return ("html", isXML) }
        index = end(of: ">", bytes, after: open)
      default:
        let name = bytes[(open + 1)...].prefix {
          $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
        }
        let text = String(decoding: name.prefix(64), as: UTF8.self)
        // A namespace prefix does not change what the element is, except for the style sheets' own.
        let local = text.split(separator: ":").last.map(String.init) ?? text
        return (local, isXML)
      }
    }
    return ("", isXML)
  }

  private static func end(
    of text: StaticString, _ bytes: UnsafeBufferPointer<UInt8>, after start: Int
  ) -> Int {
    var index = start + 1
    while index < bytes.count, !bytes.holds(text, at: index) { index += 1 }
    return index + text.utf8CodeUnitCount
  }

  private static let roots: [String: String] = [
    "html": "public.html", "svg": "public.svg-image", "plist": "com.apple.xml-property-list",
    "rss": "public.rss", "gpx": "com.topografix.gpx", "stylesheet": "org.w3.xslt",
    "collada": "org.khronos.collada.digital-asset-exchange", "opml": "org.opml.opml",
    "xliff": "org.oasis-open.xliff", "fictionbook": "org.fictionbook.fb2",
    "scorepartwise": "public.xml", "x3d": "org.web3d.x3d",
  ]

  // MARK: - JSON

  /// An object or array whose first token fits: a string or the closing brace after `{`, the start
  /// of a value after `[`. Nothing but the beginning is there to judge.
  private static func isJSON(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
    guard start < bytes.count else { return false }
    let next = bytes[(start + 1)...].first { $0 > 0x20 }
    switch bytes[start] {
    case UInt8(ascii: "{"):
      guard next == UInt8(ascii: "\"") else {
        return next == UInt8(ascii: "}")
          && bytes[start...].filter { $0 > 0x20 }.count == 2
      }
      return bytes.contains(UInt8(ascii: ":"))
    case UInt8(ascii: "["):
      guard let next else { return false }
      return next == UInt8(ascii: "{") || next == UInt8(ascii: "\"")
        || next == UInt8(ascii: "[") && bytes.contains(UInt8(ascii: ","))
    default:
      return false
    }
  }
}
