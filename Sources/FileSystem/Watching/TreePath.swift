package import SystemPackage

/// A place inside a root: names joined by slashes, as bytes; empty for the root itself.
package struct TreePath: Sendable, Hashable {
  package private(set) var bytes: [UInt8]

  package static let root = TreePath(bytes: [])
  private static let slash = UInt8(ascii: "/")

  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The place of an absolute path inside the directory `base`; `nil` if it is not inside.
  package init?(_ path: some Collection<UInt8>, in base: [UInt8]) {
    guard path.starts(with: base) else { return nil }
    let rest = path.dropFirst(base.count)
    if rest.isEmpty {
      bytes = []
    } else if base.last == Self.slash {
      bytes = Array(rest)
    } else if rest.first == Self.slash {
      bytes = Array(rest.dropFirst())
    } else {
      return nil
    }
  }

  package func appending(_ name: some Collection<UInt8>) -> TreePath {
    guard !bytes.isEmpty else { return TreePath(bytes: Array(name)) }
    var joined: [UInt8] = []
    joined.reserveCapacity(bytes.count + 1 + name.count)
    joined += bytes
    joined.append(Self.slash)
    joined += name
    return TreePath(bytes: joined)
  }

  /// The directory this is in; `nil` for the root.
  package var parent: TreePath? {
    guard !bytes.isEmpty else { return nil }
    guard let end = bytes.lastIndex(of: Self.slash) else { return .root }
    return TreePath(bytes: Array(bytes[..<end]))
  }

  /// The last name; empty for the root.
  package var name: ArraySlice<UInt8> {
    guard let end = bytes.lastIndex(of: Self.slash) else { return bytes[...] }
    return bytes[(end + 1)...]
  }

  package var names: [ArraySlice<UInt8>] { bytes.split(separator: Self.slash) }

  package func absolute(in root: FilePath) -> FilePath {
    guard !bytes.isEmpty else { return root }
    var joined = root.bytes
    if joined.last != Self.slash { joined.append(Self.slash) }
    return FilePath(bytes: joined + bytes)
  }
}
