package import SystemPackage

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
  /// Sources without a file system behind them have no extended attributes.
  package func attributes(
    _ names: [String], of directory: UnsafePointer<CChar>, in parent: DirectoryHandle
  ) -> [[UInt8]?] {
    names.map { _ in nil }
  }

  /// Sources without a file system behind them have directories only.
  package func beginning(
    of file: UnsafePointer<CChar>, in parent: DirectoryHandle, length: Int
  ) -> [UInt8]? {
    nil
  }

  /// Whether a Mac has noted that a directory inside an open one is to be shown as one item.
  func hasBundleBit(_ name: UnsafeBufferPointer<UInt8>, in parent: DirectoryHandle) -> Bool {
    let directory = name.map { CChar(bitPattern: $0) } + [0]
    #if canImport(Darwin)
      let values = attributes([FinderAttribute.info], of: directory, in: parent)
    #else
      let values = attributes(
        [FinderAttribute.info, FinderAttribute.appleDouble], of: directory, in: parent)
      if let info = values[1].flatMap({ FinderInfo(appleDouble: $0) }) { return info.hasBundleBit }
    #endif
    if let info = values[0].flatMap({ FinderInfo($0) }) { return info.hasBundleBit }
    let companion = "._".utf8.map { CChar(bitPattern: $0) } + directory
    let file = beginning(of: companion, in: parent, length: FinderInfo.appleDoubleLength)
    return file.flatMap { FinderInfo(appleDouble: $0) }?.hasBundleBit ?? false
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
    return name.withUnsafeBufferPointer { reader.hasBundleBit($0, in: parent) }
  }
}
