import TestTraits
import Testing
import UniformTypes

@Suite("Types of names")
struct MatchingTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let entryClass: EntryClass
    let identifier: String

    init(_ name: String, _ identifier: String, as entryClass: EntryClass = .file) {
      self.name = name
      self.entryClass = entryClass
      self.identifier = identifier
    }

    var testDescription: String { "\(name) as \(entryClass)" }
  }

  private func identifier(
    _ vector: Vector, hasChild: (String) -> Bool = { _ in false }
  ) -> String {
    TypeRegistry.builtIn.type(
      ofName: vector.name, as: vector.entryClass, hasChild: hasChild
    ).identifier
  }

  static let extensions = [
    Vector("a.txt", "public.plain-text"),
    Vector("B.TXT", "public.plain-text"),
    Vector(".hidden", "public.data"),
    Vector("foo.", "public.data"),
    Vector("Mr. Smith", "public.data"),
    Vector("image@2x~ipad.png", "public.png"),
    Vector("x.jpeg", "public.jpeg"),
    Vector("x.jpg", "public.jpeg"),
    Vector("main.swift", "public.swift-source"),
    Vector("data.sqlite", "org.sqlite.database"),
    Vector("readme.md", "net.daringfireball.markdown"),
    Vector("archive.tar.gz", "org.gnu.gnu-zip-tar-archive"),
    Vector("archive.gz", "org.gnu.gnu-zip-archive"),
    Vector(".tar.gz", "org.gnu.gnu-zip-archive"),
    Vector("a.tar.zst", "com.facebook.tar-zstandard-archive"),
    Vector("types.d.ts", "com.microsoft.typescript-declaration"),
    Vector("MODULE.SWIFTMODULE", "org.swift.swiftmodule"),
    Vector("a.swiftinterface", "org.swift.swiftinterface"),
  ]

  @Test("come from the last extension, whatever its case", arguments: extensions)
  func byExtension(_ vector: Vector) {
    #expect(identifier(vector) == vector.identifier)
  }

  static let linux = [
    Vector("app.ts", "com.microsoft.typescript"),
    Vector("linux.mod", "org.gnu.grub.module"),
    Vector("sshd.service", "io.systemd.unit"),
    Vector("server.key", "org.filecatalog.private-key"),
    Vector("plot.r", "org.r-project.r-source"),
    Vector("main.m", "public.objective-c-source"),
    Vector("disk.img", "org.filecatalog.raw-disk-image"),
    Vector("firmware.bin", "org.filecatalog.binary-data"),
    Vector("de.pot", "org.gnu.gettext.po"),
    Vector("go.mod", "org.golang.module"),
  ]

  @Test("follow the habits of Linux where they differ from Apple's", arguments: linux)
  func linuxPreferences(_ vector: Vector) {
    #expect(identifier(vector) == vector.identifier)
  }

  static let literals = [
    Vector("Makefile", "public.make-source"),
    Vector("makefile", "public.make-source"),
    Vector("CMakeLists.txt", "org.cmake.cmake-source"),
    Vector("LICENSE", "org.filecatalog.license-text"),
    Vector("copyright", "org.filecatalog.license-text"),
    Vector("README", "org.filecatalog.readme-text"),
    Vector(".gitignore", "org.filecatalog.ignore-list"),
    Vector(".bashrc", "public.bash-script"),
    Vector("libfoo.so", "org.filecatalog.elf-shared-library"),
    Vector("libfoo.so.1", "org.filecatalog.elf-shared-library"),
    Vector("libfoo.so.1.2.3", "org.filecatalog.elf-shared-library"),
    Vector("libfoo.so.1", "org.filecatalog.elf-shared-library", as: .executableFile),
    Vector("printf.3", "org.gnu.troff-source"),
    Vector("notes~", "org.filecatalog.backup-file"),
    Vector("README.Debian", "org.filecatalog.readme-text"),
    Vector("README.md", "net.daringfireball.markdown"),
    Vector("syslog.2", "org.filecatalog.log-rotated"),
  ]

  @Test("come from whole names and patterns where those say more", arguments: literals)
  func byName(_ vector: Vector) {
    #expect(identifier(vector) == vector.identifier)
  }

  static let classes = [
    Vector("link.txt", "public.symlink", as: .symlink),
    Vector("pipe.txt", "public.named-pipe", as: .fifo),
    Vector("socket.txt", "public.socket", as: .socket),
    Vector("sda.img", "public.block-special", as: .blockDevice),
    Vector("tty.txt", "public.character-special", as: .characterDevice),
    Vector("disk.app", "public.volume", as: .volume),
    Vector("docs", "public.folder", as: .directory),
    Vector("ls", "public.unix-executable", as: .executableFile),
    Vector("install", "public.unix-executable", as: .executableFile),
    Vector("run.sh", "public.shell-script", as: .executableFile),
    Vector("run.py", "public.python-script", as: .executableFile),
  ]

  @Test("depend on what the entry is", arguments: classes)
  func byClass(_ vector: Vector) {
    #expect(identifier(vector) == vector.identifier)
  }

  static let directories = [
    Vector("Pkg.app", "com.apple.application-bundle", as: .directory),
    Vector("notes.rtfd", "com.apple.rtfd", as: .directory),
    Vector("App.XCODEPROJ", "com.apple.xcode.project", as: .directory),
    Vector("directory.with.dot", "public.folder", as: .directory),
    Vector("node.js", "public.folder", as: .directory),
    Vector("v1.2", "public.folder", as: .directory),
    Vector("conf.d", "public.folder", as: .directory),
    Vector("README", "public.folder", as: .directory),
    Vector("sshd.service", "public.folder", as: .directory),
    Vector("perf.trace", "public.folder", as: .directory),
    Vector("site.template", "public.folder", as: .directory),
    Vector("my.help", "public.folder", as: .directory),
  ]

  @Test(
    "of directories are packages only if they look like it", .feature("LX-03"),
    arguments: directories)
  func directoryTypes(_ vector: Vector) {
    #expect(identifier(vector) == vector.identifier)
  }

  @Test("of directories with an ordinary word as extension want evidence")
  func evidence() throws {
    let registry = TypeRegistry.builtIn
    let help = Vector("my.help", "com.apple.help", as: .directory)
    #expect(identifier(help) { $0 == "Contents/Info.plist" } == "com.apple.help")

    let epub = Vector("book.epub", "org.idpf.epub-folder", as: .directory)
    #expect(identifier(epub) { ["mimetype", "META-INF"].contains($0) } == "org.idpf.epub-folder")
    #expect(identifier(epub) { $0 == "mimetype" } == "public.folder")

    var asked = 0
    let app = try #require(registry.index(of: .applicationBundle))
    #expect(
      registry.isPackageWithEvidence(app) { _ in
        asked += 1
        return false
      })
    #expect(asked == 0)
    let directory = try #require(registry.index(of: .directory))
    #expect(!registry.isPackageWithEvidence(directory) { _ in true })
  }

  @Test("of frameworks are bundles and no packages")
  func frameworks() {
    let framework = UniformType.framework
    #expect(framework.isBundle && !framework.isPackage)
    #expect(UniformType.applicationBundle.isBundle && UniformType.applicationBundle.isPackage)
  }

  @Test("of plain files are not the package types of their extension")
  func packageExtensionOnFile() throws {
    #expect(identifier(Vector("Thing.app", "")) == "com.apple.application-file")
    let project = TypeRegistry.builtIn.type(ofName: "Thing.xcodeproj", as: .file)
    #expect(project.isDynamic && project.conforms(to: .data))
  }

  @Test("tell when reading the content would help")
  func sniffingFlag() {
    let matcher = TypeMatcher(.builtIn)
    func flags(_ name: String, _ entryClass: EntryClass = .file) -> TypeMatch.Flags {
      var name = name
      return name.withUTF8 { matcher.match($0, as: entryClass).flags }
    }
    #expect(flags("video.ts").contains(.mayBeSniffed))
    #expect(flags("noextension").contains(.mayBeSniffed))
    #expect(flags("a.unknownext").contains(.mayBeSniffed))
    #expect(flags("a.png").isEmpty)
    #expect(flags("A.app", .directory) == .isPackage)
    #expect(flags("A.help", .directory) == [.isPackage, .needsEvidence])
  }

  @Test("report the bytes of an unknown extension as written")
  func extensionRange() {
    var name = "archive.b.XYZZY"
    let match = name.withUTF8 { TypeMatcher(.builtIn).match($0, as: .file) }
    #expect(match.type == .none)
    #expect(match.extensionRange == 10..<15)
  }
}
