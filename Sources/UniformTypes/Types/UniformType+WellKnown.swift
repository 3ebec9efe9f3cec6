// The types that programs name: one static member for each constant of Apple's framework, under the
// same names, and a few later ones.

extension UniformType {
  /// The built-in type with an identifier from the list below. Should the table not have it, which
  /// a test rules out, the type is still usable under its identifier.
  static func wellKnown(_ identifier: String) -> UniformType {
    UniformType(named: identifier, conformingTo: nil)
  }
}

// MARK: - Items and directories

extension UniformType {
  /// `public.item`: anything that can be in a file system or on a pasteboard.
  public static var item: UniformType { .wellKnown("public.item") }

  /// `public.content`: anything that carries content for people.
  public static var content: UniformType { .wellKnown("public.content") }

  /// `public.composite-content`: content of mixed kinds, such as text with pictures.
  public static var compositeContent: UniformType { .wellKnown("public.composite-content") }

  /// `public.data`: bytes of any kind: what every regular file is.
  public static var data: UniformType { .wellKnown("public.data") }

  /// `public.directory`: a directory of any kind, packages too.
  public static var directory: UniformType { .wellKnown("public.directory") }

  /// `public.folder`: a directory that is browsed.
  public static var folder: UniformType { .wellKnown("public.folder") }

  /// `public.volume`: the root of a volume.
  public static var volume: UniformType { .wellKnown("public.volume") }

  /// `com.apple.package`: a directory shown as one item.
  public static var package: UniformType { .wellKnown("com.apple.package") }

  /// `com.apple.bundle`: a directory with the layout of a bundle.
  public static var bundle: UniformType { .wellKnown("com.apple.bundle") }

  /// `com.apple.plugin`: a bundle of code loaded by another program.
  public static var pluginBundle: UniformType { .wellKnown("com.apple.plugin") }

  /// `com.apple.framework`: a bundle with a library and its headers.
  public static var framework: UniformType { .wellKnown("com.apple.framework") }

  /// `com.apple.application`: a program, as a bundle or as a file.
  public static var application: UniformType { .wellKnown("com.apple.application") }

  /// `com.apple.application-bundle`: a program in a bundle.
  public static var applicationBundle: UniformType { .wellKnown("com.apple.application-bundle") }

  /// `com.apple.application-and-system-extension`: an extension of a program.
  public static var applicationExtension: UniformType {
    .wellKnown("com.apple.application-and-system-extension")
  }

  /// `com.apple.metadata-importer`: a plug-in that reads metadata.
  public static var spotlightImporter: UniformType { .wellKnown("com.apple.metadata-importer") }

  /// `com.apple.quicklook-generator`: a plug-in that makes previews.
  public static var quickLookGenerator: UniformType { .wellKnown("com.apple.quicklook-generator") }

  /// `com.apple.xpc-service`: a helper process in a bundle.
  public static var xpcService: UniformType { .wellKnown("com.apple.xpc-service") }

  /// `com.apple.systempreference.prefpane`: a pane of the system settings.
  public static var systemPreferencesPane: UniformType {
    .wellKnown("com.apple.systempreference.prefpane")
  }

  /// `public.executable`: anything that runs.
  public static var executable: UniformType { .wellKnown("public.executable") }

  /// `public.unix-executable`: a file with the execute permission and no extension.
  public static var unixExecutable: UniformType { .wellKnown("public.unix-executable") }

  /// `com.microsoft.windows-executable`: a Windows program.
  public static var exe: UniformType { .wellKnown("com.microsoft.windows-executable") }

  /// `com.apple.resolvable`: anything that leads to another item.
  public static var resolvable: UniformType { .wellKnown("com.apple.resolvable") }

  /// `public.symlink`: a symbolic link.
  public static var symbolicLink: UniformType { .wellKnown("public.symlink") }

  /// `com.apple.mount-point`: a mount point to resolve.
  public static var mountPoint: UniformType { .wellKnown("com.apple.mount-point") }

  /// `com.apple.alias-file`: a Finder alias.
  public static var aliasFile: UniformType { .wellKnown("com.apple.alias-file") }

  /// `com.apple.bookmark`: bookmark data.
  public static var urlBookmarkData: UniformType { .wellKnown("com.apple.bookmark") }

  /// `public.url`: the bytes of a URL.
  public static var url: UniformType { .wellKnown("public.url") }

  /// `public.file-url`: the bytes of a file URL.
  public static var fileURL: UniformType { .wellKnown("public.file-url") }
}

// MARK: - Text

extension UniformType {
  /// `public.text`: text of any kind, marked up or not.
  public static var text: UniformType { .wellKnown("public.text") }

  /// `public.plain-text`: text without markup, in an unknown encoding.
  public static var plainText: UniformType { .wellKnown("public.plain-text") }

  /// `public.utf8-plain-text`: text without markup in UTF-8.
  public static var utf8PlainText: UniformType { .wellKnown("public.utf8-plain-text") }

  /// `public.utf16-external-plain-text`: text in UTF-16 with a byte order mark.
  public static var utf16ExternalPlainText: UniformType {
    .wellKnown("public.utf16-external-plain-text")
  }

  /// `public.utf16-plain-text`: text in UTF-16 in native byte order.
  public static var utf16PlainText: UniformType { .wellKnown("public.utf16-plain-text") }

  /// `public.delimited-values-text`: rows of separated values.
  public static var delimitedText: UniformType { .wellKnown("public.delimited-values-text") }

  /// `public.comma-separated-values-text`: rows of values separated by commas.
  public static var commaSeparatedText: UniformType {
    .wellKnown("public.comma-separated-values-text")
  }

  /// `public.tab-separated-values-text`: rows of values separated by tabs.
  public static var tabSeparatedText: UniformType { .wellKnown("public.tab-separated-values-text") }

  /// `public.utf8-tab-separated-values-text`: tab-separated values in UTF-8.
  public static var utf8TabSeparatedText: UniformType {
    .wellKnown("public.utf8-tab-separated-values-text")
  }

  /// `public.rtf`: rich Text Format.
  public static var rtf: UniformType { .wellKnown("public.rtf") }

  /// `public.html`: HTML of any version.
  public static var html: UniformType { .wellKnown("public.html") }

  /// `public.xml`: XML of any vocabulary.
  public static var xml: UniformType { .wellKnown("public.xml") }

  /// `public.yaml`: YAML.
  public static var yaml: UniformType { .wellKnown("public.yaml") }

  /// `public.css`: a cascading style sheet.
  public static var css: UniformType { .wellKnown("public.css") }

  /// `net.daringfireball.markdown`: markdown.
  public static var markdown: UniformType { .wellKnown("net.daringfireball.markdown") }

  /// `public.json`: JSON.
  public static var json: UniformType { .wellKnown("public.json") }

  /// `public.geojson`: geographic features in JSON.
  public static var geoJSON: UniformType { .wellKnown("public.geojson") }

  /// `public.log`: a log.
  public static var log: UniformType { .wellKnown("public.log") }
}

// MARK: - Source code

extension UniformType {
  /// `public.source-code`: source code in any language.
  public static var sourceCode: UniformType { .wellKnown("public.source-code") }

  /// `public.assembly-source`: assembly source.
  public static var assemblyLanguageSource: UniformType { .wellKnown("public.assembly-source") }

  /// `public.c-source`: C source.
  public static var cSource: UniformType { .wellKnown("public.c-source") }

  /// `public.objective-c-source`: objective-C source.
  public static var objectiveCSource: UniformType { .wellKnown("public.objective-c-source") }

  /// `public.swift-source`: swift source.
  public static var swiftSource: UniformType { .wellKnown("public.swift-source") }

  /// `public.c-plus-plus-source`: C++ source.
  public static var cPlusPlusSource: UniformType { .wellKnown("public.c-plus-plus-source") }

  /// `public.objective-c-plus-plus-source`: objective-C++ source.
  public static var objectiveCPlusPlusSource: UniformType {
    .wellKnown("public.objective-c-plus-plus-source")
  }

  /// `public.c-header`: a C header.
  public static var cHeader: UniformType { .wellKnown("public.c-header") }

  /// `public.c-plus-plus-header`: a C++ header.
  public static var cPlusPlusHeader: UniformType { .wellKnown("public.c-plus-plus-header") }

  /// `public.script`: a script in any language.
  public static var script: UniformType { .wellKnown("public.script") }

  /// `com.apple.applescript.text`: appleScript text.
  public static var appleScript: UniformType { .wellKnown("com.apple.applescript.text") }

  /// `com.apple.applescript.script`: a compiled Open Scripting Architecture script.
  public static var osaScript: UniformType { .wellKnown("com.apple.applescript.script") }

  /// `com.apple.applescript.script-bundle`: a bundle with such a script.
  public static var osaScriptBundle: UniformType {
    .wellKnown("com.apple.applescript.script-bundle")
  }

  /// `com.netscape.javascript-source`: javaScript source.
  public static var javaScript: UniformType { .wellKnown("com.netscape.javascript-source") }

  /// `public.shell-script`: a shell script of any shell.
  public static var shellScript: UniformType { .wellKnown("public.shell-script") }

  /// `public.perl-script`: a Perl script.
  public static var perlScript: UniformType { .wellKnown("public.perl-script") }

  /// `public.python-script`: a Python script.
  public static var pythonScript: UniformType { .wellKnown("public.python-script") }

  /// `public.ruby-script`: a Ruby script.
  public static var rubyScript: UniformType { .wellKnown("public.ruby-script") }

  /// `public.php-script`: a PHP script.
  public static var phpScript: UniformType { .wellKnown("public.php-script") }

  /// `public.make-source`: a makefile.
  public static var makefile: UniformType { .wellKnown("public.make-source") }
}

// MARK: - Property lists and documents

extension UniformType {
  /// `com.apple.property-list`: a property list in any encoding.
  public static var propertyList: UniformType { .wellKnown("com.apple.property-list") }

  /// `com.apple.xml-property-list`: a property list in XML.
  public static var xmlPropertyList: UniformType { .wellKnown("com.apple.xml-property-list") }

  /// `com.apple.binary-property-list`: a binary property list.
  public static var binaryPropertyList: UniformType { .wellKnown("com.apple.binary-property-list") }

  /// `com.adobe.pdf`: portable Document Format.
  public static var pdf: UniformType { .wellKnown("com.adobe.pdf") }

  /// `com.apple.rtfd`: a rich text package with attachments.
  public static var rtfd: UniformType { .wellKnown("com.apple.rtfd") }

  /// `com.apple.flat-rtfd`: the same as one stream, for pasteboards.
  public static var flatRTFD: UniformType { .wellKnown("com.apple.flat-rtfd") }

  /// `com.apple.webarchive`: a web page with all its resources.
  public static var webArchive: UniformType { .wellKnown("com.apple.webarchive") }

  /// `org.idpf.epub-container`: an electronic publication.
  public static var epub: UniformType { .wellKnown("org.idpf.epub-container") }

  /// `public.spreadsheet`: a spreadsheet of any format.
  public static var spreadsheet: UniformType { .wellKnown("public.spreadsheet") }

  /// `public.presentation`: a presentation of any format.
  public static var presentation: UniformType { .wellKnown("public.presentation") }

  /// `public.database`: a database of any format.
  public static var database: UniformType { .wellKnown("public.database") }

  /// `public.message`: a message of any kind.
  public static var message: UniformType { .wellKnown("public.message") }

  /// `public.email-message`: an electronic mail message.
  public static var emailMessage: UniformType { .wellKnown("public.email-message") }

  /// `public.contact`: a contact.
  public static var contact: UniformType { .wellKnown("public.contact") }

  /// `public.vcard`: a vCard.
  public static var vCard: UniformType { .wellKnown("public.vcard") }

  /// `public.to-do-item`: a task.
  public static var toDoItem: UniformType { .wellKnown("public.to-do-item") }

  /// `public.calendar-event`: a calendar event.
  public static var calendarEvent: UniformType { .wellKnown("public.calendar-event") }

  /// `public.bookmark`: a bookmark.
  public static var bookmark: UniformType { .wellKnown("public.bookmark") }

  /// `com.apple.internet-location`: a file that leads to a URL.
  public static var internetLocation: UniformType { .wellKnown("com.apple.internet-location") }

  /// `com.microsoft.internet-shortcut`: a Windows internet shortcut.
  public static var internetShortcut: UniformType { .wellKnown("com.microsoft.internet-shortcut") }

  /// `com.apple.linkpresentation.metadata`: a preview of a link.
  public static var linkPresentationMetadata: UniformType {
    .wellKnown("com.apple.linkpresentation.metadata")
  }

  /// `public.font`: a font of any format.
  public static var font: UniformType { .wellKnown("public.font") }

  /// `com.rsa.pkcs-12`: a PKCS #12 store of keys.
  public static var pkcs12: UniformType { .wellKnown("com.rsa.pkcs-12") }

  /// `public.x509-certificate`: an X.509 certificate.
  public static var x509Certificate: UniformType { .wellKnown("public.x509-certificate") }
}

// MARK: - Images

extension UniformType {
  /// `public.image`: an image of any format.
  public static var image: UniformType { .wellKnown("public.image") }

  /// `public.jpeg`: a JPEG image.
  public static var jpeg: UniformType { .wellKnown("public.jpeg") }

  /// `public.tiff`: a TIFF image.
  public static var tiff: UniformType { .wellKnown("public.tiff") }

  /// `com.compuserve.gif`: a GIF image.
  public static var gif: UniformType { .wellKnown("com.compuserve.gif") }

  /// `public.png`: a PNG image.
  public static var png: UniformType { .wellKnown("public.png") }

  /// `com.apple.icns`: an Apple icon image.
  public static var icns: UniformType { .wellKnown("com.apple.icns") }

  /// `com.microsoft.bmp`: a Windows bitmap.
  public static var bmp: UniformType { .wellKnown("com.microsoft.bmp") }

  /// `com.microsoft.ico`: a Windows icon.
  public static var ico: UniformType { .wellKnown("com.microsoft.ico") }

  /// `public.camera-raw-image`: the raw data of a camera, of any vendor.
  public static var rawImage: UniformType { .wellKnown("public.camera-raw-image") }

  /// `com.adobe.raw-image`: a digital negative.
  public static var dng: UniformType { .wellKnown("com.adobe.raw-image") }

  /// `com.ilm.openexr-image`: an OpenEXR image.
  public static var exr: UniformType { .wellKnown("com.ilm.openexr-image") }

  /// `public.svg-image`: a scalable vector graphic.
  public static var svg: UniformType { .wellKnown("public.svg-image") }

  /// `com.apple.live-photo`: a live photo.
  public static var livePhoto: UniformType { .wellKnown("com.apple.live-photo") }

  /// `public.heif`: a HEIF image.
  public static var heif: UniformType { .wellKnown("public.heif") }

  /// `public.heic`: a HEIF image with HEVC compression.
  public static var heic: UniformType { .wellKnown("public.heic") }

  /// `public.heics`: a sequence of such images.
  public static var heics: UniformType { .wellKnown("public.heics") }

  /// `org.webmproject.webp`: a WebP image.
  public static var webP: UniformType { .wellKnown("org.webmproject.webp") }

  /// `public.jpeg-xl`: a JPEG XL image.
  public static var jpegXL: UniformType { .wellKnown("public.jpeg-xl") }

  /// `public.3d-content`: a three-dimensional model of any format.
  public static var threeDContent: UniformType { .wellKnown("public.3d-content") }

  /// `com.pixar.universal-scene-description`: universal Scene Description.
  public static var usd: UniformType { .wellKnown("com.pixar.universal-scene-description") }

  /// `com.pixar.universal-scene-description-mobile`: a scene with its resources in one file.
  public static var usdz: UniformType { .wellKnown("com.pixar.universal-scene-description-mobile") }

  /// `com.apple.reality`: a Reality Composer scene.
  public static var realityFile: UniformType { .wellKnown("com.apple.reality") }

  /// `com.apple.scenekit.scene`: a SceneKit scene.
  public static var sceneKitScene: UniformType { .wellKnown("com.apple.scenekit.scene") }

  /// `com.apple.arobject`: a reference object for augmented reality.
  public static var arReferenceObject: UniformType { .wellKnown("com.apple.arobject") }
}

// MARK: - Sound and pictures in motion

extension UniformType {
  /// `public.audiovisual-content`: sound, pictures in motion or both.
  public static var audiovisualContent: UniformType { .wellKnown("public.audiovisual-content") }

  /// `public.movie`: pictures in motion, with or without sound.
  public static var movie: UniformType { .wellKnown("public.movie") }

  /// `public.video`: pictures in motion without sound.
  public static var video: UniformType { .wellKnown("public.video") }

  /// `public.audio`: sound.
  public static var audio: UniformType { .wellKnown("public.audio") }

  /// `com.apple.quicktime-movie`: a QuickTime movie.
  public static var quickTimeMovie: UniformType { .wellKnown("com.apple.quicktime-movie") }

  /// `public.mpeg`: an MPEG-1 or MPEG-2 movie.
  public static var mpeg: UniformType { .wellKnown("public.mpeg") }

  /// `public.mpeg-2-video`: an MPEG-2 video.
  public static var mpeg2Video: UniformType { .wellKnown("public.mpeg-2-video") }

  /// `public.mpeg-2-transport-stream`: an MPEG-2 transport stream.
  public static var mpeg2TransportStream: UniformType {
    .wellKnown("public.mpeg-2-transport-stream")
  }

  /// `public.mp3`: MP3 audio.
  public static var mp3: UniformType { .wellKnown("public.mp3") }

  /// `public.mpeg-4`: an MPEG-4 movie.
  public static var mpeg4Movie: UniformType { .wellKnown("public.mpeg-4") }

  /// `public.mpeg-4-audio`: MPEG-4 audio.
  public static var mpeg4Audio: UniformType { .wellKnown("public.mpeg-4-audio") }

  /// `com.apple.protected-mpeg-4-audio`: protected MPEG-4 audio.
  public static var appleProtectedMPEG4Audio: UniformType {
    .wellKnown("com.apple.protected-mpeg-4-audio")
  }

  /// `com.apple.protected-mpeg-4-video`: protected MPEG-4 video.
  public static var appleProtectedMPEG4Video: UniformType {
    .wellKnown("com.apple.protected-mpeg-4-video")
  }

  /// `public.avi`: an AVI movie.
  public static var avi: UniformType { .wellKnown("public.avi") }

  /// `public.aiff-audio`: AIFF audio.
  public static var aiff: UniformType { .wellKnown("public.aiff-audio") }

  /// `com.microsoft.waveform-audio`: waveform audio.
  public static var wav: UniformType { .wellKnown("com.microsoft.waveform-audio") }

  /// `public.midi-audio`: MIDI music.
  public static var midi: UniformType { .wellKnown("public.midi-audio") }

  /// `public.playlist`: a playlist of any format.
  public static var playlist: UniformType { .wellKnown("public.playlist") }

  /// `public.m3u-playlist`: an M3U playlist.
  public static var m3uPlaylist: UniformType { .wellKnown("public.m3u-playlist") }

  /// `public.haptics-content`: patterns to feel.
  public static var haptics: UniformType { .wellKnown("public.haptics-content") }

  /// `com.apple.haptics.ahap`: an Apple haptics pattern.
  public static var ahap: UniformType { .wellKnown("com.apple.haptics.ahap") }
}

// MARK: - Archives

extension UniformType {
  /// `public.archive`: an archive or compressed file of any format.
  public static var archive: UniformType { .wellKnown("public.archive") }

  /// `public.disk-image`: an image of a disk.
  public static var diskImage: UniformType { .wellKnown("public.disk-image") }

  /// `org.gnu.gnu-zip-archive`: a gzip file.
  public static var gzip: UniformType { .wellKnown("org.gnu.gnu-zip-archive") }

  /// `public.bzip2-archive`: a bzip2 file.
  public static var bz2: UniformType { .wellKnown("public.bzip2-archive") }

  /// `public.zip-archive`: a ZIP archive.
  public static var zip: UniformType { .wellKnown("public.zip-archive") }

  /// `com.apple.archive`: an Apple archive.
  public static var appleArchive: UniformType { .wellKnown("com.apple.archive") }

  /// `public.tar-archive`: a tar archive.
  public static var tarArchive: UniformType { .wellKnown("public.tar-archive") }
}
