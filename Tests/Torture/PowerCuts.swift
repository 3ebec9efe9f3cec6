import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Power cuts: what a command writes is replayed up to some moment, and of all that was not flushed by then
/// the disk has nothing, a part, or something from the middle.
struct PowerCuts: Part {
  static let name = "power"
  static let tries = 400
  static let weight = 2.0

  static func obstacle() -> String? { SystemFaults.obstacle() }

  private struct Recording: Sendable {
    let scene: Scene
    let steps: [WriteTrace.Step]
  }

  private let recordings: [Recording]

  init(_ campaign: Campaign) throws {
    let scenery = try campaign.scenery()
    let directory = TemporaryDirectory(at: campaign.directory("recordings"))
    try TemporaryDirectory.makeDirectories(to: directory.path)
    recordings = try scenery.scenes.filter { $0.name != "nothing new" }.map { scene in
      let place = try TemporaryDirectory(in: directory.path.string)
      defer { place.remove() }
      let catalog = place("catalog.sqlite").string
      try scene.begin(at: catalog)
      let trace = directory("trace").string
      let result = try CommandRunner(
        "strace",
        [
          "-f", "-y", "-xx", "-qq", "-s", "100000000", "-o", trace, "-e",
          "trace=" + WriteTrace.calls.joined(separator: ","), campaign.program,
        ], environment: Attempt.environment(home: place.path.string),
        directory: place.path.string
      ).run(scene.arguments + ["--catalog", catalog])
      guard result.status <= 1 else {
        throw CommandError(description: "\(scene.name): \(result.status) \(result.errors)")
      }
      return Recording(
        scene: scene,
        steps: WriteTrace.steps(in: try directory.bytes(of: "trace"), below: place.path.string))
    }
  }

  func attempt(_ attempt: Attempt) throws {
    let recording = recordings[attempt.random.below(recordings.count)]
    let (scene, steps) = (recording.scene, recording.steps)
    let base = try scene.base.map {
      try TemporaryDirectory(at: FilePath($0).removingLastComponent()).bytes(
        of: FilePath($0.split(separator: "/").last.map(String.init) ?? ""))
    }
    var disk = CutDisk(holding: base.map { ["catalog.sqlite": $0] } ?? [:])
    let end = attempt.random.below(steps.count + 1)
    for step in steps[..<end] { disk.take(step) }
    let (files, loss) = disk.afterCut(&attempt.random)
    let words = ["filecat"] + scene.arguments + ["# cut at \(end) of \(steps.count), \(loss)"]
    for (name, bytes) in files { try attempt.directory.write(bytes, to: FilePath(name)) }

    try attempt.expectSound()
    if let fault = scene.fault(of: try CatalogRows.all(in: attempt.catalog)) {
      attempt.note(.difference, fault, of: words)
    }
    let arguments = scene.arguments + ["--catalog", attempt.catalog]
    guard let again = try attempt.run(arguments) else { return }
    if again.status > 1 {
      attempt.note(.difference, "again: status \(again.status): \(again.errors)", of: words)
    }
    let rows = try CatalogRows.all(in: attempt.catalog)
    if let fault = Scene.difference(of: rows, from: scene.after) {
      attempt.note(.difference, "done again: \(fault)", of: words)
    }
    try attempt.expectSound()
  }
}

/// What a program has written, as `strace` tells it.
enum WriteTrace {
  enum Step: Sendable {
    case create(String)
    case write(String, at: Int, [UInt8])
    case resize(String, Int)
    /// What was written before is on the disk when the flush ends.
    case beginFlush(String)
    case endFlush(String)
    case link(String, to: String)
    case rename(String, to: String)
    case unlink(String)
  }

  static let calls = [
    "openat", "open", "creat", "pwrite64", "write", "ftruncate", "rename", "renameat", "renameat2",
    "link",
    "linkat", "unlink", "unlinkat", "fsync", "fdatasync",
  ]

  /// The steps that are about files in a directory, which are named as in it; `.` is the directory.
  static func steps(in trace: [UInt8], below directory: String) -> [Step] {
    var steps: [Step] = []
    // Where files are that are written one byte after the other.
    var ends: [String: Int] = [:]
    var unfinished: [String: [UInt8]] = [:]
    for line in trace.split(separator: UInt8(ascii: "\n")) {
      guard let space = line.firstIndex(of: 0x20) else { continue }
      let thread = String(decoding: line[..<space], as: UTF8.self)
      var text = Array(line[space...].drop { $0 == 0x20 })
      var isResumed = false
      if text.starts(with: Array("<... ".utf8)) {
        guard let begun = unfinished.removeValue(forKey: thread) else { continue }
        text = begun + Array(text.drop { $0 != UInt8(ascii: ">") }.dropFirst())
        isResumed = true
      }
      let call = Call(text, below: directory)
      let isUnfinished = text.suffix(16) == Array(" <unfinished ...>".utf8).suffix(16)
      let isFlush = ["fsync", "fdatasync"].contains(call.name)
      if isUnfinished {
        unfinished[thread] = Array(text.dropLast(17))
        if isFlush, let file = call.file { steps.append(.beginFlush(file)) }
        continue
      }
      guard call.hasSucceeded else { continue }
      switch call.name {
      case "openat", "open", "creat":
        guard let path = call.names.first, call.has("O_CREAT") || call.has("O_TRUNC") else {
          continue
        }
        steps.append(.create(path))
        if call.has("O_TRUNC") { steps.append(.resize(path, 0)) }
        ends[path] = 0
      case "pwrite64":
        guard let file = call.file, let bytes = call.strings.first else { continue }
        let offset = call.numbers.last ?? 0
        steps.append(.write(file, at: offset, bytes))
      case "write":
        guard let file = call.file, let bytes = call.strings.first else { continue }
        let offset = ends[file] ?? 0
        ends[file] = offset + bytes.count
        steps.append(.write(file, at: offset, bytes))
      case "ftruncate":
        guard let file = call.file else { continue }
        steps.append(.resize(file, call.numbers.last ?? 0))
      case "fsync", "fdatasync":
        guard let file = call.file else { continue }
        if !isResumed { steps.append(.beginFlush(file)) }
        steps.append(.endFlush(file))
      case "link", "linkat":
        guard call.names.count == 2 else { continue }
        steps.append(.link(call.names[0], to: call.names[1]))
      case "rename", "renameat", "renameat2":
        guard call.names.count == 2 else { continue }
        steps.append(.rename(call.names[0], to: call.names[1]))
      case "unlink", "unlinkat":
        guard let name = call.names.first else { continue }
        steps.append(.unlink(name))
      default: break
      }
    }
    return steps
  }

  /// A line of a trace, taken apart.
  private struct Call {
    let name: String
    /// The file that the first descriptor is of.
    var file: String?
    /// The texts among the arguments.
    var strings: [[UInt8]] = []
    /// Those of them that name something in the directory.
    var names: [String] = []
    /// The plain numbers among the arguments.
    var numbers: [Int] = []
    private var flags = ""
    private(set) var hasSucceeded = false

    init(_ text: [UInt8], below directory: String) {
      let open = text.firstIndex(of: UInt8(ascii: "(")) ?? text.count
      name = String(decoding: text[..<open], as: UTF8.self)
      var place = min(open + 1, text.count)
      var word: [UInt8] = []
      var isAnswer = false
      func inside(_ path: [UInt8]) -> String? {
        let path = String(decoding: path, as: UTF8.self)
        if path == directory { return "." }
        guard path.hasPrefix(directory + "/") else { return nil }
        return String(path.dropFirst(directory.utf8.count + 1))
      }
      while place < text.count {
        let byte = text[place]
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"):
          let closing = byte == UInt8(ascii: "<") ? UInt8(ascii: ">") : byte
          let end = text[place...].firstIndex(of: closing) ?? text.count
          let content = Self.decoded(text[place..<end])
          place = min(end + 1, text.count)
          if byte == closing {
            strings.append(content)
            if let name = inside(content) { names.append(name) }
          } else if !isAnswer, file == nil {
            file = inside(content)
          }
        case UInt8(ascii: ","), UInt8(ascii: ")"):
          let argument = String(decoding: word, as: UTF8.self).filter { $0 != " " }
          if let number = Int(argument) { numbers.append(number) }
          flags += argument
          word = []
        case UInt8(ascii: "="):
          isAnswer = true
          let answer = text[place...].drop { $0 == 0x20 }
          hasSucceeded =
            answer.first.map { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "?") } ?? false
          return
        default: word.append(byte)
        }
      }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Bytes that are written as `\x41`.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count / 4)
      var place = text.startIndex
      while place < text.endIndex {
        guard text[place] == UInt8(ascii: "\\"), place + 3 < text.endIndex else {
          bytes.append(text[place])
          place += 1
          continue
        }
        bytes.append(digit(text[place + 2]) << 4 | digit(text[place + 3]))
        place += 4
      }
      return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8 {
      byte >= UInt8(ascii: "a") ? byte - UInt8(ascii: "a") + 10 : byte - UInt8(ascii: "0")
    }
  }
}

/// A disk of one directory, and what of it would be left after a power cut.
struct CutDisk {
  private enum Change {
    case write(Int, [UInt8])
    case resize(Int)

    func apply(to bytes: inout [UInt8]) {
      switch self {
      case .write(let offset, let new):
        if bytes.count < offset + new.count {
          bytes += [UInt8](repeating: 0, count: offset + new.count - bytes.count)
        }
        bytes.replaceSubrange(offset..<offset + new.count, with: new)
      case .resize(let size):
        if size < bytes.count { bytes.removeLast(bytes.count - size) }
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
      }
    }
  }

  private struct File {
    var durable: [UInt8] = []
    var pending: [Change] = []
    /// How many of them a flush that has begun is about.
    var flushing = 0
  }

  private enum NameChange {
    case set(String, Int)
    case remove(String)

    func apply(to names: inout [String: Int]) {
      switch self {
      case .set(let name, let file): names[name] = file
      case .remove(let name): names[name] = nil
      }
    }
  }

  private var files: [File] = []
  private var names: [String: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var pendingNames: [NameChange] = []
  private var flushingNames = 0

  init(holding content: [String: [UInt8]]) {
    for (name, bytes) in content {
      durableNames[name] = files.count
      files.append(File(durable: bytes))
    }
    names = durableNames
  }

  private mutating func change(_ change: NameChange) {
    change.apply(to: &names)
    pendingNames.append(change)
  }

  mutating func take(_ step: WriteTrace.Step) {
    switch step {
    case .create(let name):
      guard names[name] == nil else { return }
      files.append(File())
      change(.set(name, files.count - 1))
    case .write(let name, let offset, let bytes):
      if let file = names[name] { files[file].pending.append(.write(offset, bytes)) }
    case .resize(let name, let size):
      if let file = names[name] { files[file].pending.append(.resize(size)) }
    case .beginFlush("."): flushingNames = pendingNames.count
    case .beginFlush(let name):
      if let file = names[name] { files[file].flushing = files[file].pending.count }
    case .endFlush("."):
      for change in pendingNames.prefix(flushingNames) { change.apply(to: &durableNames) }
      pendingNames.removeFirst(flushingNames)
      flushingNames = 0
    case .endFlush(let name):
      guard let file = names[name] else { return }
      for change in files[file].pending.prefix(files[file].flushing) {
        change.apply(to: &files[file].durable)
      }
      files[file].pending.removeFirst(files[file].flushing)
      files[file].flushing = 0
    case .link(let name, let other), .rename(let name, let other):
      guard let file = names[name] else { return }
      change(.set(other, file))
      if case .rename = step { change(.remove(name)) }
    case .unlink(let name):
      if names[name] != nil { change(.remove(name)) }
    }
  }

  /// What the disk holds afterwards, and in words what of the rest it has lost.
  func afterCut(_ random: inout SeededRandom) -> (files: [String: [UInt8]], loss: String) {
    var left = durableNames
    // File systems write changes of names in order.
    let kept = [0, pendingNames.count, random.below(pendingNames.count + 1)][random.below(3)]
    for change in pendingNames.prefix(kept) { change.apply(to: &left) }
    var result: [String: [UInt8]] = [:]
    var loss = "\(kept) of \(pendingNames.count) names"
    for (name, number) in left.sorted(by: { $0.key < $1.key }) {
      let file = files[number]
      let (bytes, words) = content(of: file, &random)
      if !file.pending.isEmpty { loss += ", \(name): \(words)" }
      result[name] = bytes
    }
    // The index of a log is made anew; whatever is in it means nothing after a cut.
    if result["catalog.sqlite-wal"] != nil, random.below(2) == 0 {
      result["catalog.sqlite-shm"] = (0..<32_768).map { _ in
        UInt8(truncatingIfNeeded: random.next())
      }
    }
    return (result, loss)
  }

  private func content(of file: File, _ random: inout SeededRandom) -> ([UInt8], String) {
    var bytes = file.durable
    let count = file.pending.count
    switch random.below(4) {
    case 0: return (bytes, "nothing of \(count)")
    case 1:
      for change in file.pending { change.apply(to: &bytes) }
      return (bytes, "all \(count)")
    case 2:
      let kept = random.below(count + 1)
      for change in file.pending.prefix(kept) { change.apply(to: &bytes) }
      if kept < count { torn(file.pending[kept], &random).apply(to: &bytes) }
      return (bytes, "the first \(kept) of \(count), and a part")
    default:
      var kept = 0
      for change in file.pending where random.below(2) == 0 {
        (random.below(8) == 0 ? torn(change, &random) : change).apply(to: &bytes)
        kept += 1
      }
      return (bytes, "\(kept) of \(count), any")
    }
  }

  /// The beginning of a write, in blocks of the disk.
  private func torn(_ change: Change, _ random: inout SeededRandom) -> Change {
    guard case .write(let offset, let bytes) = change else { return change }
    return .write(offset, Array(bytes.prefix(random.below(bytes.count / 512 + 1) * 512)))
  }
}
