/// How the names of files stand out on a terminal, as `LS_COLORS` says it.
///
/// `dircolors` writes that variable and `ls` obeys it: keys of two letters for what a file is, and
/// patterns such as `*.tar` for how its name ends, each with the parameters of "Select Graphic
/// Rendition".
package struct FileColors: Sendable {
  /// What is known of a file.
  package struct Item: Sendable {
    /// What it is to the file system.
    package enum Kind: Sendable {
      case file, directory, symlink, fifo, socket, blockDevice, characterDevice
    }

    /// What it is to the file system.
    package var kind: Kind
    /// The file type and the permission bits; 0 where they are not known.
    package var mode: UInt32
    /// How many names it has.
    package var links: Int64
    /// Whether it is a symbolic link without a target.
    package var isBroken: Bool

    /// A file of a kind.
    package init(_ kind: Kind, mode: UInt32 = 0, links: Int64 = 1, isBroken: Bool = false) {
      self.kind = kind
      self.mode = mode
      self.links = links
      self.isBroken = isBroken
    }
  }

  /// What `ls` does without the variable.
  private static let standard =
    "di=01;34:ln=01;36:pi=33:so=01;35:bd=01;33:cd=01;33:ex=01;32:su=37;41:sg=30;43:st=37;44:ow=34;42:"
    + "tw=30;42"

  private var byKey: [String: Emphasis] = [:]
  /// The ends of names, in small letters; of several that fit a name the last counts.
  private var byEnd: [(end: [UInt8], emphasis: Emphasis?)] = []

  /// Reads the text of the variable; without one, or with an empty one, files look as `ls` shows them.
  ///
  /// What cannot be understood is left out.
  package init(_ variable: String?) {
    add(Self.standard)
    if let variable { add(variable) }
  }

  /// The colours that the environment asks for.
  package static func ofEnvironment(
    _ environment: (String) -> String? = Terminal.processEnvironment
  ) -> FileColors {
    FileColors(environment("LS_COLORS"))
  }

  private mutating func add(_ text: String) {
    for field in text.split(separator: ":") {
      guard let equals = field.lastIndex(of: "=") else { continue }
      let key = field[..<equals]
      let value = field[field.index(after: equals)...]
      // 0, 00 and nothing at all take a colour away.
      let emphasis = value.allSatisfy { $0 == "0" } ? nil : Emphasis(parameters: value)
      guard emphasis != nil || value.allSatisfy({ $0 == "0" }) else {
        // As what a link leads to, which is not known.
        if key == "ln", value == "target" { byKey["ln"] = nil }
        continue
      }
      if key.first == "*" {
        byEnd.append((key.dropFirst().utf8.map(Self.folded), emphasis))
      } else {
        byKey[String(key)] = emphasis
      }
    }
  }

  /// How the name of a file stands out; `nil` for like any text.
  ///
  /// As `ls` has it, what a file is goes before how its name ends.
  package func emphasis(of item: Item, named name: [UInt8]) -> Emphasis? {
    let mode = item.mode
    let keys: [String]
    switch item.kind {
    case .directory:
      keys = [
        mode & 0o1002 == 0o1002 ? "tw" : nil, mode & 0o2 != 0 ? "ow" : nil,
        mode & 0o1000 != 0 ? "st" : nil, "di",
      ].compactMap { $0 }
    case .symlink: keys = item.isBroken ? ["or", "ln"] : ["ln"]
    case .fifo: keys = ["pi"]
    case .socket: keys = ["so"]
    case .blockDevice: keys = ["bd"]
    case .characterDevice: keys = ["cd"]
    case .file:
      keys = [
        mode & 0o4000 != 0 ? "su" : nil, mode & 0o2000 != 0 ? "sg" : nil,
        mode & 0o111 != 0 ? "ex" : nil, item.links > 1 ? "mh" : nil,
      ].compactMap { $0 }
    }
    for key in keys { if let emphasis = byKey[key] { return emphasis } }
    guard item.kind == .file else { return byKey["no"] }
    if !byEnd.isEmpty {
      let name = name.map(Self.folded)
      for (end, emphasis) in byEnd.reversed() where Self.ends(name, with: end) { return emphasis }
    }
    return byKey["fi"] ?? byKey["no"]
  }

  private static func ends(_ name: [UInt8], with end: [UInt8]) -> Bool {
    name.count >= end.count && name[(name.count - end.count)...].elementsEqual(end)
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
