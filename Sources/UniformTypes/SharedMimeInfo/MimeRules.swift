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
