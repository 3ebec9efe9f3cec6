import FileSystem
import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Changes a real tree at random, with system calls and paths of bytes.
///
/// Names are few, so that edits meet. What is impossible where it falls is left out.
struct TreeEditor {
  let root: [UInt8]
  /// Outside of the tree, on the same file system.
  private let spare: [UInt8]
  private var random: SeededRandom
  private let isWide: Bool
  private var count = 0

  private static let names: [[UInt8]] =
    [
      "a", "b", "c", "d", "e.txt", "é", "x.png", "n.rtfd", "m.app", ".h",
    ].map { Array($0.utf8) } + [[0x6e, 0xff], [0xc3, 0x28, 0x2e, 0x74]]

  init(_ tree: TemporaryDirectory, random: SeededRandom, isWide: Bool) {
    root = tree.path.bytes
    spare = tree.path.bytes + Array(".spare".utf8)
    self.random = random
    self.isWide = isWide
  }

  // MARK: - Choosing

  mutating func below(_ limit: Int) -> Int { random.below(limit) }

  private func children(of path: [UInt8]) -> [[UInt8]] {
    guard let stream = path.withPath({ opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let item = readdir(stream) {
      let name = withUnsafeBytes(of: &item.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [46], name != [46, 46] { names.append(name) }
    }
    // The order of a directory is not the same everywhere.
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func type(of path: [UInt8]) -> UInt32? {
    var status = stat()
    guard path.withPath({ lstat($0, &status) }) == 0 else { return nil }
    return UInt32(status.st_mode) & 0o170000
  }

  private func isDirectory(_ path: [UInt8]) -> Bool { type(of: path) == 0o040000 }

  /// A directory of the tree.
  mutating func directory() -> [UInt8] {
    var path = root
    while random.below(3) > 0 {
      let inner = children(of: path).map { path + [47] + $0 }.filter { isDirectory($0) }
      guard !inner.isEmpty else { break }
      path = inner[random.below(inner.count)]
    }
    return path
  }

  /// Anything in the tree but its root.
  private mutating func existing() -> [UInt8]? {
    for _ in 0..<4 {
      let directory = directory()
      let names = children(of: directory)
      if !names.isEmpty { return directory + [47] + names[random.below(names.count)] }
    }
    return nil
  }

  private mutating func existing(_ type: UInt32) -> [UInt8]? {
    for _ in 0..<6 {
      if let path = existing(), self.type(of: path) == type { return path }
    }
    return nil
  }

  /// A place that may be taken already.
  private mutating func place() -> [UInt8] {
    let name =
      isWide && random.below(4) == 0
      ? Array("w\(random.below(2500))".utf8) : Self.names[random.below(Self.names.count)]
    return directory() + [47] + name
  }

  // MARK: - Editing

  mutating func edit() {
    count += 1
    switch random.below(isWide ? 31 : 30) {
    case 0...2: put(place(), O_CREAT | O_WRONLY | O_TRUNC)
    case 3: put(place(), O_CREAT | O_WRONLY | O_APPEND)
    case 4: _ = place().withPath { mkdir($0, 0o755) }
    case 5, 6: if let path = existing() { remove(path) }
    case 7...9: move()
    case 10...12: moveDirectory()
    case 13: moveIntoNewDirectory()
    case 14, 15: swap()
    case 16: rotate()
    case 17, 18: replace()
    case 19: recreate()
    case 20: hardLink()
    case 21: makeSymlink()
    case 22: attributes()
    case 23: resize()
    case 24: touch()
    case 25: _ = place().withPath { mkfifo($0, 0o644) }
    case 26: swapDirectories()
    case 27: grow()
    case 28: package()
    case 29: moveAndModify()
    default: fill()
    }
  }

  private mutating func put(_ path: [UInt8], _ flags: Int32) {
    guard type(of: path) ?? 0o100000 == 0o100000 else { return }
    let descriptor = path.withPath { open($0, flags | O_NONBLOCK, 0o644) }
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = [UInt8](repeating: 0x78, count: random.below(9000))
    _ = write(descriptor, bytes, bytes.count)
  }

  private func remove(_ path: [UInt8]) {
    guard isDirectory(path) else {
      _ = path.withPath { unlink($0) }
      return
    }
    for name in children(of: path) { remove(path + [47] + name) }
    _ = path.withPath { rmdir($0) }
  }

  @discardableResult
  private func carry(_ path: [UInt8], to other: [UInt8]) -> Bool {
    path.withPath { from in other.withPath { rename(from, $0) } } == 0
  }

  private mutating func move() {
    if let path = existing() { carry(path, to: place()) }
  }

  private mutating func moveDirectory() {
    if let path = existing(0o040000) { carry(path, to: place()) }
  }

  private mutating func moveIntoNewDirectory() {
    guard let path = existing() else { return }
    let new = place()
    guard new.withPath({ mkdir($0, 0o755) }) == 0 else { return }
    carry(path, to: new + [47] + Self.names[random.below(Self.names.count)])
  }

  private mutating func swap() {
    guard let a = existing(), let b = existing() else { return }
    exchange([a, b])
  }

  private mutating func swapDirectories() {
    guard let a = existing(0o040000), let b = existing(0o040000) else { return }
    exchange([a, b])
  }

  private mutating func rotate() {
    let paths = (0..<(3 + random.below(3))).compactMap { _ in existing() }
    exchange(paths)
  }

  /// Puts each entry in the place of the next.
  private func exchange(_ paths: [[UInt8]]) {
    let places = Array(Set(paths)).sorted { $0.lexicographicallyPrecedes($1) }
    guard let last = places.last, carry(last, to: spare) else { return }
    for (from, to) in zip(places.dropLast(), places.dropFirst()).reversed() {
      carry(from, to: to)
    }
    if !carry(spare, to: places[0]), !carry(spare, to: last) { remove(spare) }
  }

  /// Writes anew beside an entry and puts that in its place.
  private mutating func replace() {
    guard let path = existing() else { return }
    if isDirectory(path) {
      guard spare.withPath({ mkdir($0, 0o755) }) == 0 else { return }
      for name in children(of: path) where random.below(2) == 0 {
        put(spare + [47] + name, O_CREAT | O_WRONLY)
      }
      remove(path)
    } else {
      put(spare, O_CREAT | O_WRONLY)
    }
    if !carry(spare, to: path) { remove(spare) }
  }

  /// Removes an entry and makes another, which gets its inode where the file system likes that.
  private mutating func recreate() {
    guard let path = existing() else { return }
    remove(path)
    let new = random.below(2) == 0 ? path : place()
    if random.below(3) == 0 {
      _ = new.withPath { mkdir($0, 0o755) }
    } else {
      put(new, O_CREAT | O_WRONLY)
    }
  }

  private mutating func hardLink() {
    guard let path = existing(0o100000) ?? existing(0o120000) else { return }
    let new = place()
    _ = path.withPath { from in new.withPath { linkat(AT_FDCWD, from, AT_FDCWD, $0, 0) } }
  }

  private mutating func makeSymlink() {
    let path = place()
    let target = random.below(2) == 0 ? Self.names[random.below(Self.names.count)] : place()
    if random.below(3) == 0, type(of: path) == 0o120000 { _ = path.withPath { unlink($0) } }
    _ = target.withPath { target in path.withPath { symlink(target, $0) } }
  }

  private mutating func attributes() {
    guard let path = existing() else { return }
    if getuid() == 0, random.below(2) == 0 {
      let owner = UInt32(random.below(3))
      _ = path.withPath { lchown($0, owner, owner) }
    } else if type(of: path) != 0o120000 {
      let mode: UInt32 = [0o755, 0o700, 0o711, 0o1777][random.below(4)]
      _ = path.withPath { chmod($0, mode) }
    }
  }

  private mutating func resize() {
    guard let path = existing(0o100000) else { return }
    let length = [0, 1, 5000, 10_000_000][random.below(4)]
    _ = path.withPath { truncate($0, length) }
  }

  private mutating func touch() {
    guard let path = existing() else { return }
    let seconds = [0, -86400, 1_000_000_000, 4_000_000_000][random.below(4)]
    let times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 7)]
    _ = path.withPath { utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) }
  }

  /// A small tree at once.
  private mutating func grow() {
    var path = place()
    for _ in 0..<(1 + random.below(4)) {
      guard path.withPath({ mkdir($0, 0o755) }) == 0 else { return }
      for _ in 0..<random.below(4) {
        put(path + [47] + Self.names[random.below(Self.names.count)], O_CREAT | O_WRONLY)
      }
      path += [47] + Self.names[random.below(Self.names.count)]
    }
  }

  /// Makes a directory a package, or a package a directory, by its name.
  private mutating func package() {
    guard let path = existing(0o040000), let slash = path.lastIndex(of: 47) else { return }
    let name = path[(slash + 1)...]
    let suffix = Array(".rtfd".utf8)
    let other =
      name.reversed().starts(with: suffix.reversed())
      ? Array(name.dropLast(suffix.count)) : name + suffix
    guard !other.isEmpty else { return }
    carry(path, to: path[...slash] + other)
  }

  private mutating func moveAndModify() {
    guard let path = existing() else { return }
    let new = place()
    guard carry(path, to: new) else { return }
    if isDirectory(new) {
      _ = new.withPath { chmod($0, 0o750) }
    } else {
      put(new, O_WRONLY | O_APPEND)
    }
  }

  /// More entries than fit into one or two batches of the walk.
  private mutating func fill() {
    let path = directory()
    guard children(of: path).count < 1000 else { return }
    for number in 0..<([1100, 2300][random.below(2)]) {
      let descriptor = (path + Array("/w\(number)".utf8)).withPath {
        open($0, O_CREAT | O_WRONLY | O_NONBLOCK, 0o644)
      }
      if descriptor >= 0 { close(descriptor) }
    }
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes as a C string.
  fileprivate func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (self + [0]).withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { buffer in
        buffer.baseAddress.map(body) ?? body("")
      }
    }
  }
}
