/// Turns MIME types of the system into declarations that add to the table below.
///
/// A MIME type joins a known type if the table has it under that name or an alias, or if all its
/// extensions that the table knows mean one type of the same medium. Every other MIME type becomes
/// a type of its own, `org.freedesktop.` and the name with its slash turned into a dot. Its
/// supertypes come from the parents the database names, from the generic icon, which tells
/// spreadsheets from archives, and from the medium.
struct SharedMimeMapping {
  private let mime: SharedMimeInfo
  private let view: RegistryView
  /// What the extensions mean below that have been looked up; many types may share one.
  private var meanings: [String: String?] = [:]

  init(_ mime: SharedMimeInfo, over view: RegistryView) {
    self.mime = mime
    self.view = view
  }

  /// - Complexity: linear in what the database says.
  mutating func declarations() -> [TypeDeclaration] {
    // Volumes and special files are typed by what they are.
    let types = mime.types.filter { MimeGlob.concernsNames($0.utf8) }
    var identifiers: [String: String] = [:]
    for type in types { identifiers[type] = known(type) ?? Self.minted(type) }
    return types.compactMap { [self] type in
      guard let identifier = identifiers[type] else { return nil }
      var declaration = TypeDeclaration(identifier: identifier, source: .sharedMimeInfo)
      declaration.file = "shared-mime-info"
      declaration.keyPath = type
      declaration.tags = tags(of: type)
      if !view.isKnown(identifier) {
        declaration.parents = parents(of: type, identifiers)
      }
      return declaration
    }
  }

  // MARK: - Joining

  private mutating func known(_ type: String) -> String? {
    for name in [type] + (mime.aliases[type] ?? []) {
      if let identifier = view.identifier(tag: name, kind: .mimeType) { return identifier }
    }
    guard !MimeRules.neverJoinedByExtension.contains(type) else { return nil }
    let extensions = tags(of: type).filter { $0.kind == .filenameExtension }.map(\.text)
    let meanings = extensions.compactMap { meaning(ofExtension: $0) }
    guard let first = meanings.first, meanings.allSatisfy({ $0 == first }) else { return nil }
    let medium = type.prefix { $0 != "/" }
    if medium == "application" { return meanings.count * 2 >= extensions.count ? first : nil }
    guard let ancestor = MimeRules.media[String(medium)] else { return nil }
    return view.conforms(first, to: ancestor == "public.plain-text" ? "public.text" : ancestor)
      ? first : nil
  }

  /// The type of files with an extension below.
  private mutating func meaning(ofExtension text: String) -> String? {
    if let known = meanings[text] { return known }
    let meaning = view.identifier(tag: text, kind: .filenameExtension) { [view] in
      !view.conforms($0, to: "public.directory")
    }
    meanings[text] = .some(meaning)
    return meaning
  }

  /// Lower case; what identifiers cannot have becomes a hyphen.
  private static func minted(_ type: String) -> String {
    let cleaned = type.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "/"): UInt8(ascii: ".")
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "."), UInt8(ascii: "-"):
        byte
      default: UInt8(ascii: "-")
      }
    }
    return "org.freedesktop." + String(decoding: cleaned, as: UTF8.self)
  }

  // MARK: - Tags

  private func tags(of type: String) -> [TypeDeclaration.Tag] {
    var tags: [TypeDeclaration.Tag] = []
    var seen: Set<TypeDeclaration.Tag> = []
    func add(_ text: some StringProtocol, _ kind: TagKind, _ rank: UInt8) {
      let text = String(text)
      guard TagGrammar.isValid(text, kind),
        seen.insert(TypeDeclaration.Tag(text: text, kind: kind)).inserted
      else { return }
      tags.append(TypeDeclaration.Tag(text: text, kind: kind, rank: rank))
    }
    for glob in mime.globs[type] ?? [] where !glob.isCaseSensitive {
      let (kind, text) = MimeGlob.tag(of: glob.pattern.lowercased().utf8)
      add(Substring(text), kind, MimeGlob.rank(weight: glob.weight))
    }
    for name in [type] + (mime.aliases[type] ?? []) { add(name, .mimeType, 1) }
    return tags
  }

  // MARK: - Supertypes

  private func parents(of type: String, _ identifiers: [String: String]) -> [String] {
    let identifier = identifiers[type]
    var parents: [String] = []
    var seen: Set<String> = []
    func add(_ parent: String?) {
      if let parent, parent != identifier, seen.insert(parent).inserted { parents.append(parent) }
    }
    for parent in mime.parents[type] ?? [] { add(identifiers[parent] ?? resolved(parent)) }
    add(mime.genericIcons[type].flatMap { MimeRules.icons[$0] })
    add(MimeRules.overrides[type])
    let medium = String(type.prefix { $0 != "/" })
    if medium == "text", MimeRules.isSourceCode(type) {
      add("public.source-code")
    } else {
      add(MimeRules.media[medium])
    }
    return reduced(parents)
  }

  private func resolved(_ parent: String) -> String? {
    view.identifier(tag: parent, kind: .mimeType)
  }

  /// Drops supertypes that another one implies, and adds public.data if nothing leads there. Types
  /// minted in the same go count as leading nowhere: their own parents are not known yet.
  private func reduced(_ parents: [String]) -> [String] {
    let implied = view.supertypes(of: parents)
    var result = parents.filter { !implied.contains($0) }
    if !result.contains(where: { view.conforms($0, to: "public.data") }) {
      result.append("public.data")
    }
    return result
  }
}

/// What the names of MIME types and of generic icons say about uniform types.
enum MimeRules {
  /// The type that everything of a medium conforms to.
  static let media: [String: String] = [
    "image": "public.image", "audio": "public.audio", "video": "public.movie",
    "text": "public.plain-text", "font": "public.font", "model": "public.3d-content",
    "message": "public.message",
  ]

  /// Generic icons that stand for a category.
  static let icons: [String: String] = [
    "package-x-generic": "public.archive",
    "x-office-spreadsheet": "public.spreadsheet",
    "x-office-presentation": "public.presentation",
    "x-office-document": "public.composite-content",
    "x-office-address-book": "public.contact",
    "x-office-calendar": "public.calendar-event",
    "text-x-script": "public.script",
    "image-x-generic": "public.image",
    "audio-x-generic": "public.audio",
    "video-x-generic": "public.movie",
    "font-x-generic": "public.font",
    "application-x-executable": "public.executable",
  ]

  /// Types whose category neither parents nor icon tell.
  static let overrides: [String: String] = [
    "application/vnd.sqlite3": "public.database",
    "application/x-gdbm": "public.database",
    "application/x-dbf": "public.database",
    "application/x-qemu-disk": "public.disk-image",
    "application/x-virtualbox-vdi": "public.disk-image",
    "application/x-virtualbox-vhd": "public.disk-image",
    "application/x-virtualbox-vhdx": "public.disk-image",
    "application/x-virtualbox-vmdk": "public.disk-image",
    "application/x-virtualbox-hdd": "public.disk-image",
    "application/x-ms-wim": "public.disk-image",
    "application/x-raw-disk-image": "public.disk-image",
    "application/vnd.squashfs": "public.archive",
    "application/x-openzim": "public.archive",
    "application/x-asar": "public.archive",
    "image/fits": "public.image",
  ]

  /// Types whose extension means something else in the table: an equal extension alone must not
  /// join them.
  static let neverJoinedByExtension: Set<String> = [
    "application/vnd.corel-draw", "application/x-sami", "application/x-ips-patch",
    "application/x-tgif", "application/x-applix-spreadsheet", "application/x-applix-word",
    "text/x-genie", "text/x-google-video-pointer", "application/x-thomson-cartridge-memo7",
    "application/x-java-pack200", "text/x-modelica", "application/x-smaf",
    "application/x-amiga-disk-format", "application/x-genesis-rom", "application/x-magicpoint",
    "application/x-spss-por", "application/x-kspread", "application/x-kword",
  ]

  /// Whether a text type is source code of a programming language.
  static func isSourceCode(_ type: String) -> Bool {
    sourceCode.contains(String(type.dropFirst("text/".count)))
  }

  private static let sourceCode: Set<String> = Set(
    """
    x-adasrc x-asm x-basic x-c++hdr x-c++src x-chdr x-cmake x-cobol x-common-lisp x-csharp x-csrc \
    x-cuda x-dart x-dcl x-dsl x-dsrc x-eiffel x-elixir x-emacs-lisp x-erlang x-fortran x-gcode-gx \
    x-genie x-gherkin x-go x-gradle x-groovy x-haskell x-idl x-iptables x-java x-kotlin \
    x-literate-haskell x-lua x-makefile x-matlab x-meson x-modelica x-moc x-mof x-nim x-objc++src \
    x-objcsrc x-ocaml x-ocl x-ooc x-opencl-src x-pascal x-perl x-python x-python3 x-qml x-ruby \
    x-rust x-sass x-scala x-scheme x-scons x-svhdr x-svsrc x-tcl x-twig x-vala x-vb x-verilog \
    x-vhdl x-xmi x-zig crystal julia rust vbscript vbscript.encode javascript x-typescript \
    x-mrml x-mup x-nasm x-solidity x-swift tcl
    """.split(separator: " ").map(String.init))
}
