package import SystemPackage

/// What the Finder noted about a directory: 32 bytes that macOS keeps as the extended attribute
/// `com.apple.FinderInfo`, and where a file system has none, in an AppleDouble file beside it.
struct FinderInfo {
  /// Whether the directory is to be shown as one item: the bit `kHasBundle` of the Finder flags, as
  /// `Finder.h` of Carbon defines it.
  let hasBundleBit: Bool

  static let length = 32
  /// Room for the header of an AppleDouble file, a few entries and the FinderInfo, which comes first.
  static let appleDoubleLength = 512

  /// - Parameter bytes: the value of the attribute; `nil` is the result if it is too short.
  init?(_ bytes: some RandomAccessCollection<UInt8>) {
    guard bytes.count >= Self.length else { return nil }
    // A rectangle of four 16-bit numbers, then the flags, all in big-endian order.
    hasBundleBit = Array(bytes.prefix(10))[8] & 0x20 != 0
  }

  /// - Parameter file: the beginning of a file in the AppleDouble format, version 2, of RFC 1740:
  ///   magic number, version, 16 bytes of filler, the number of entries, and for each entry its id,
  ///   offset and length. Entry 9 is the FinderInfo.
  init?(appleDouble file: [UInt8]) {
    func number(at offset: Int, bytes count: Int) -> Int? {
      guard offset >= 0, offset + count <= file.count else { return nil }
      return file[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
    guard number(at: 0, bytes: 4) == 0x0005_1607, number(at: 4, bytes: 4) == 0x0002_0000,
      let count = number(at: 24, bytes: 2)
    else { return nil }
    for entry in 0..<count {
      let start = 26 + entry * 12
      guard let id = number(at: start, bytes: 4), let offset = number(at: start + 4, bytes: 4),
        let length = number(at: start + 8, bytes: 4)
      else { return nil }
      guard id == 9 else { continue }
      guard length >= Self.length, offset + Self.length <= file.count else { return nil }
      self.init(file[offset..<offset + Self.length])
      return
    }
    return nil
  }
}

/// Where the FinderInfo of a directory may be.
private enum FinderAttribute {
  #if canImport(Darwin)
    static let info = "com.apple.FinderInfo"
  #else
    /// As copied by rsync and tar, which put names of other systems below `user`.
    static let info = "user.com.apple.FinderInfo"
    /// As Netatalk and Samba keep it for Macs: an AppleDouble file as an attribute.
    static let appleDouble = "user.org.netatalk.Metadata"
  #endif
}

extension DirectorySource {
  /// Whether a Mac has noted that a directory inside an open one is to be shown as one item.
  ///
  /// - Parameter listed: which directory it is; `nil` for whichever there is.
  /// - Throws: where that could not be found out: the failure, with a path inside the open directory.
  func hasBundleBit(
    _ name: UnsafeBufferPointer<UInt8>, in parent: DirectoryHandle, listed: DirectoryIdentity?
  ) throws(FileError) -> Bool {
    let directory = name.map { CChar(bitPattern: $0) } + [0]
    var failure: FileError?
    do throws(Errno) {
      let handle =
        if let listed {
          try open(directory, in: parent, expecting: listed)
        } else {
          try open(directory, in: parent)
        }
      defer { close(handle) }
      #if !canImport(Darwin)
        let file = try attribute(FinderAttribute.appleDouble, of: handle)
        if let info = file.flatMap({ FinderInfo(appleDouble: $0) }) { return info.hasBundleBit }
      #endif
      let info = try attribute(FinderAttribute.info, of: handle)
      if let info = info.flatMap({ FinderInfo($0) }) { return info.hasBundleBit }
    } catch {
      // One that is not there any more, or another one, has no note.
      if !error.saysReplaced {
        failure = FileError(.attributes, FilePath(bytes: Array(name)), error)
      }
    }
    let companion = "._".utf8.map { CChar(bitPattern: $0) } + directory
    do throws(Errno) {
      let file = try beginning(of: companion, in: parent, length: FinderInfo.appleDoubleLength)
      if let info = file.flatMap({ FinderInfo(appleDouble: $0) }) { return info.hasBundleBit }
    } catch {
      failure = failure ?? FileError(.open, FilePath(bytes: Array("._".utf8) + name), error)
    }
    if let failure { throw failure }
    return false
  }
}

/// The bundle bit of directories that no walk is about.
package enum BundleBit {
  /// Whether a Mac has noted that the directory at an absolute path is to be shown as one item. A
  /// directory that cannot be looked at has no such note.
  package static func isSet(onDirectoryAt path: FilePath) -> Bool {
    let reader = DirectoryReader()
    guard let name = path.lastComponent?.bytes,
      let parent = try? reader.open(path: path.removingLastComponent())
    else { return false }
    defer { reader.close(parent) }
    return name.withUnsafeBufferPointer {
      (try? reader.hasBundleBit($0, in: parent, listed: nil)) ?? false
    }
  }
}
