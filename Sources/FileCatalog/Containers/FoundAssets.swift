internal import FileSystem
public import StandardDirectories
public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The names that a lookup meets, each looked at once in a row: where a name is there by the
/// thousand, reading its marks again and again would cost more than finding it.
struct RankedNames {
  struct Name {
    let bytes: [UInt8]
    let variant: AssetVariant
    /// How well the name suits, 0 being best.
    let rank: Int
  }

  /// The kind of device that is asked for.
  let idiom: Idiom?
  private let lookup: AssetLookup
  private let caseSensitivity: CaseSensitivity
  private var names: [Name] = []
  /// The last names that did not suit.
  private var misses: [[UInt8]] = []
  private var oldestMiss = 0
  /// How many of the last names are compared before a name is taken for a new one.
  private static let remembered = 8

  init(_ lookup: AssetLookup, for idiom: Idiom?, _ caseSensitivity: CaseSensitivity) {
    self.idiom = idiom
    self.lookup = lookup
    self.caseSensitivity = caseSensitivity
  }

  subscript(index: Int) -> Name { names[index] }

  /// The index of a name; `nil` when it does not suit.
  mutating func index(of name: UnsafeRawBufferPointer) -> Int? {
    for index in names.indices.suffix(Self.remembered).reversed()
    where names[index].bytes.elementsEqual(name) {
      return index
    }
    if misses.contains(where: { $0.elementsEqual(name) }) { return nil }
    let bytes = Array(name)
    let asset = AssetName(bytes: caseSensitivity.comparable(bytes))
    guard let rank = lookup.rank(of: asset) else {
      noteMiss(bytes)
      return nil
    }
    names.append(Name(bytes: bytes, variant: asset.variant, rank: rank))
    return names.endIndex - 1
  }

  private mutating func noteMiss(_ name: [UInt8]) {
    if misses.count < Self.remembered { return misses.append(name) }
    misses[oldestMiss] = name
    oldestMiss = (oldestMiss + 1) % Self.remembered
  }
}

/// What a lookup has found: plain numbers, and the paths of all directories in one piece of memory.
struct FoundAssets {
  private struct Found {
    let id: Int64
    let rank: Int
    let depth: Int
    let isHere: Bool
    let name: Int
    let directory: Range<Int>
  }

  private var found: [Found] = []
  private var directories: [UInt8] = []

  mutating func add(
    _ id: Int64, in directory: UnsafeRawBufferPointer, name: Int, rank: Int, depth: Int,
    isHere: Bool
  ) {
    let start = directories.count
    directories.append(contentsOf: directory)
    found.append(
      Found(
        id: id, rank: rank, depth: depth, isHere: isHere, name: name,
        directory: start..<directories.count)
    )
  }

  /// The most useful of them, in the order of their usefulness.
  func best(_ limit: Int?, _ names: RankedNames) -> [AssetMatch] {
    let chosen = directories.withUnsafeBytes { directories -> ArraySlice<Found> in
      func precedes(_ left: Found, _ right: Found) -> Bool {
        if left.isHere != right.isHere { return left.isHere }
        if left.rank != right.rank { return left.rank < right.rank }
        if left.depth != right.depth { return left.depth < right.depth }
        let order = Self.compare(directories[left.directory], directories[right.directory])
        if order != 0 { return order < 0 }
        return names[left.name].bytes.lexicographicallyPrecedes(names[right.name].bytes)
      }
      if limit == 1 { return found.min(by: precedes).map { [$0] } ?? [] }
      return found.sorted(by: precedes).prefix(max(0, limit ?? found.count))
    }
    return chosen.map { match($0, names[$0.name], for: names.idiom) }
  }

  /// Below zero when the left bytes come first, zero when they are the same.
  private static func compare(
    _ left: Slice<UnsafeRawBufferPointer>, _ right: Slice<UnsafeRawBufferPointer>
  ) -> Int {
    let left = UnsafeRawBufferPointer(rebasing: left)
    let right = UnsafeRawBufferPointer(rebasing: right)
    let shared = min(left.count, right.count)
    if shared > 0, let start = left.baseAddress, let other = right.baseAddress {
      let order = memcmp(start, other, shared)
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }

  private func match(
    _ found: Found, _ name: RankedNames.Name, for idiom: Idiom?
  ) -> AssetMatch {
    let path = directories[found.directory] + [UInt8(ascii: "/")] + name.bytes
    return AssetMatch(
      id: EntryID(rawValue: found.id), path: FilePath(bytes: path), variant: name.variant,
      depth: found.depth, rank: found.rank, scale: name.variant.scale(on: idiom))
  }
}

/// A variant of an asset that a lookup has found.
public struct AssetMatch: Sendable, Hashable, Identifiable {
  /// The number of the entry.
  public let id: EntryID
  /// The absolute path.
  public let path: FilePath
  /// What the marks of its name say.
  public let variant: AssetVariant
  /// The steps from the directory that was asked about down to its own; from the root without one.
  public let depth: Int
  /// How well it suits the device, 0 being best.
  public let rank: Int

  /// How many pixels of it make one point on the device: as its name says, else one. On phones `-hd` says two.
  public let scale: AssetScale
}
