import ArgumentParser
import FileCatalog

/// An option that only find(1) has, and what says the same here.
struct FindPrimary {
  /// What somebody can do who has typed it.
  private enum Advice {
    /// Type this in its place.
    case write(String)
    /// Do without: it is so anyway.
    case leaveOut
    /// There is nothing that says the same.
    case nothing
  }

  private let name: String
  private let advice: Advice

  /// Reads an option with its values.
  ///
  /// - Parameters:
  ///   - word: the option as typed.
  ///   - rest: the words behind it, from which its values are taken.
  /// - Returns: `nil` if it is none that find(1) has and fd has not.
  init?(_ word: String, _ rest: inout ArraySlice<String>) {
    name = word
    switch word {
    case "-print", "-depth", "-follow", "-noleaf", "-daystart", "-xdev", "-mount", "-true", "-and",
      "-warn", "-nowarn", "-ignore_readdir_race":
      advice = .leaveOut
    case "-print0": advice = .write("-0")
    case "-empty": advice = .write("empty:yes")
    case "-not": advice = .write("NOT")
    case "-or": advice = .write("OR")
    case "-executable": advice = .write("-t x")
    case "-quit": advice = .write("-1")
    case "-delete": advice = .write("-X rm -d --")
    case "-prune": advice = .write("-E GLOB")
    case "-nouser", "-nogroup", "-readable", "-writable", "-false": advice = .nothing
    case "-exec", "-execdir", "-ok", "-okdir": advice = Self.command(&rest)
    default:
      guard let translate = Self.translations[word] else { return nil }
      guard let value = rest.popFirst() else {
        advice = .nothing
        return
      }
      advice = translate(value).map { .write($0) } ?? .nothing
    }
  }

  /// The line about options of find(1), with what to write in their place.
  static func complaint(about options: [FindPrimary]) -> ValidationError {
    let names = options.map { "“\($0.name)”" }
    let subject =
      names.count == 1
      ? "\(names[0]) is an option of find(1)"
      : names.dropLast().joined(separator: ", ")
        + " and \(names[names.count - 1]) are options of find(1)"
    var written: [String] = []
    var missing: [String] = []
    for option in options {
      switch option.advice {
      case .write(let text): written.append(text)
      case .leaveOut: break
      case .nothing: missing.append(option.name)
      }
    }
    var advice: [String] = []
    if !written.isEmpty { advice.append("write: " + written.joined(separator: " ")) }
    if !missing.isEmpty {
      advice.append(
        "there is nothing like \(missing.joined(separator: ", ")); see: filecat help query")
    }
    if advice.isEmpty { advice.append("leave \(names.count == 1 ? "it" : "them") out") }
    return ValidationError("\(subject); \(advice.joined(separator: "; "))")
  }

  // MARK: - Values

  /// Options with one value, and how it is written here; `nil` for a value that cannot be.
  private static let translations: [String: @Sendable (String) -> String?] = [
    "-name": name, "-iname": name, "-path": path, "-ipath": path, "-wholename": path,
    "-iwholename": path, "-regex": { quoted("pathregex:" + $0) },
    "-iregex": { quoted("pathregex:" + $0) }, "-type": kind, "-xtype": kind, "-size": size,
    "-mtime": { age($0, "modified", "d") }, "-atime": { age($0, "accessed", "d") },
    "-ctime": { age($0, "changed", "d") }, "-mmin": { age($0, "modified", "m") },
    "-amin": { age($0, "accessed", "m") }, "-cmin": { age($0, "changed", "m") },
    "-newer": { newer($0, "modified") }, "-anewer": { newer($0, "accessed") },
    "-cnewer": { newer($0, "changed") }, "-newermt": { quoted("modified:>\($0)") },
    "-newerat": { quoted("accessed:>\($0)") }, "-newerct": { quoted("changed:>\($0)") },
    "-maxdepth": { "-d \(quoted($0))" },
    "-mindepth": { number($0).map { quoted("depth:>=\($0)") } },
    "-perm": mode, "-user": { account($0, "owner", "uid") },
    "-group": { account($0, "group", "gid") },
    "-uid": { comparison($0, "uid") }, "-gid": { comparison($0, "gid") },
    "-links": { comparison($0, "links") }, "-inum": { _ in nil }, "-fstype": { _ in nil },
    "-samefile": { _ in nil }, "-lname": { _ in nil }, "-ilname": { _ in nil },
    "-used": { _ in nil }, "-context": { _ in nil }, "-regextype": { _ in nil },
    "-printf": { _ in "--columns COLUMN,…" }, "-fprint": { "> " + quoted($0) },
    "-fprint0": { "-0 > " + quoted($0) }, "-files0-from": { _ in nil },
  ]

  @Sendable private static func name(_ glob: String) -> String? {
    word(.name(.glob(glob)), bare: glob)
  }

  /// A star of find(1) goes across slashes.
  @Sendable private static func path(_ glob: String) -> String? {
    let wide = (glob.hasPrefix("./") ? glob.dropFirst(2) : glob[...])
      .map { $0 == "*" ? "**" : String($0) }.joined()
    guard wide.contains("/") else { return word(.path(.glob(wide)), bare: nil) }
    return word(.name(.glob(wide)), bare: wide)
  }

  @Sendable private static func kind(_ letters: String) -> String? {
    let kinds = letters.split(separator: ",").map { FoundType(argument: String($0))?.kind }
    guard !kinds.isEmpty, !kinds.contains(nil) else { return nil }
    return "kind:" + kinds.compactMap { $0?.rawValue }.joined(separator: ",")
  }

  @Sendable private static func size(_ text: String) -> String? {
    let sign = text.first.flatMap { "+-".contains($0) ? $0 : nil }
    let digits = text.dropFirst(sign == nil ? 0 : 1).prefix(while: \.isNumber)
    guard let count = Int64(digits) else { return nil }
    let unit = text.dropFirst((sign == nil ? 0 : 1) + digits.count)
    let value: String
    switch unit {
    case "c": value = "\(count)"
    case "w", "b", "":
      let (bytes, overflow) = count.multipliedReportingOverflow(by: unit == "w" ? 2 : 512)
      guard !overflow else { return nil }
      value = ByteSize(bytes: bytes).description
    case "k", "M", "G": value = "\(count)\(unit)"
    default: return nil
    }
    return quoted("size:\(sign == "+" ? ">" : sign == "-" ? "<" : "")\(value)")
  }

  private static func age(_ text: String, _ term: String, _ unit: String) -> String? {
    guard let count = number(text) else { return nil }
    return switch text.first {
    case "+": quoted("\(term):>\(count)\(unit)")
    case "-": quoted("\(term):<\(count)\(unit)")
    default: quoted("\(term):\(count)\(unit)..\(count + 1)\(unit)")
    }
  }

  private static func newer(_ file: String, _ term: String) -> String? {
    "\"\(term):>$(date -r \(quoted(file)) +%FT%T)\""
  }

  @Sendable private static func mode(_ text: String) -> String? {
    let digits = text.first.map { "-/+".contains($0) } ?? false ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.allSatisfy({ ("0"..."7").contains($0) }) else { return nil }
    return quoted("mode:" + (text.hasPrefix("+") ? "/" + digits : text))
  }

  private static func account(_ text: String, _ name: String, _ number: String) -> String? {
    quoted((text.allSatisfy(\.isNumber) ? number : name) + ":" + text)
  }

  private static func comparison(_ text: String, _ term: String) -> String? {
    guard let count = number(text) else { return nil }
    return quoted("\(term):\(text.hasPrefix("+") ? ">" : text.hasPrefix("-") ? "<" : "")\(count)")
  }

  private static func number(_ text: String) -> UInt32? {
    UInt32(text.first.map { "+-".contains($0) } ?? false ? text.dropFirst() : text[...])
  }

  /// Takes a command, which ends with `;` or `+`.
  private static func command(_ rest: inout ArraySlice<String>) -> Advice {
    var words: [String] = []
    var isBatch = false
    while let word = rest.popFirst(), word != ";" {
      if word == "+", words.last == "{}" {
        isBatch = true
        break
      }
      words.append(word)
    }
    // The path is added where no word has a place for it.
    if words.last == "{}" { words.removeLast() }
    let option = isBatch ? "-X" : "-x"
    return .write(([option] + (words.isEmpty ? ["CMD"] : words.map(quoted))).joined(separator: " "))
  }

  // MARK: - Words for a shell

  /// A condition as a word of a query; `bare` where that means the same and needs no quotes in a query.
  private static func word(_ filter: Filter, bare: String?) -> String? {
    let text = Query(filter).description
    guard (try? Query(parsing: text)) != nil else { return nil }
    if let bare, bare.contains(where: { "*?[".contains($0) }),
      (try? Query(parsing: bare)) == Query(filter)
    {
      return quoted(bare)
    }
    return quoted(text)
  }

  /// A word as it is typed into a shell.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "_-./:=,@%+".utf8.contains(byte)
      }
    }
    return isPlain && !word.isEmpty
      ? word : "'" + word.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }
}
