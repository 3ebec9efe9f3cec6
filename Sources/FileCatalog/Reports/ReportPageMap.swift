internal import Console

/// The directories that the page draws as a map, an area for each: data for its script.
struct ReportPageMap: Sendable {
  static let id = "map"
  static let title = "Map"

  struct Directory: Sendable {
    /// The position of the parent in the list; `nil` for what is at the top.
    var parent: Int?
    /// The path of what is at the top, else the name.
    var name: [UInt8]
    var files: Int64
    var size: Int64
    var allocated: Int64
  }

  /// The largest directories, parents before children.
  var directories: [Directory]
  /// How many directories there are.
  var count: Int64

  var isEmpty: Bool { directories.isEmpty }

  /// The place where the script draws.
  var section: Markup {
    if isEmpty { return "" }
    var note: Markup = ""
    if count > directories.count {
      note = """
         The map knows the \(CountText(directories.count)) largest of \(CountText(count)) \
        directories; what the others hold is hatched.
        """
    }
    return """
      <section id=\(Self.id) aria-labelledby=map-title>
      <h2 id=map-title>\(Self.title)</h2>
      <p class=about>An area is a directory, its size what the directory holds. \
      Click to go in; arrow keys move, Enter goes in, Escape goes out.\(note)</p>
      <noscript><p class=empty>The map is drawn by a script. The tables below need none.</p></noscript>
      <div class=tools hidden>
      <div id=trail aria-live=polite></div>
      <div id=measures role=group aria-label="Area stands for"></div>
      </div>
      <div id=treemap role=group aria-label="Directories by size" hidden></div>
      </section>

      """
  }

  /// The directories as JSON: lists of the position of the parent or -1, the name, files, size, and
  /// bytes on disk. No browser finds markup in it.
  var json: [UInt8] {
    var json = Array("[".utf8)
    for directory in directories {
      if json.count > 1 { json += ",\n".utf8 }
      json += "[\(directory.parent ?? -1),".utf8
      Self.append(DisplayText(escaping: ReadableText(directory.name).bytes).bytes, to: &json)
      json += ",\(directory.files),\(directory.size),\(directory.allocated)]".utf8
    }
    return json + "]".utf8
  }

  /// Appends text that has no control characters any more.
  private static func append(_ text: [UInt8], to json: inout [UInt8]) {
    json.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
      // From these a browser would make markup.
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
        json += "\\u00\(String(byte, radix: 16))".utf8
      default: json.append(byte)
      }
    }
    json.append(UInt8(ascii: "\""))
  }
}
