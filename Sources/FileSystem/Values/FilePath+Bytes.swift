public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension FilePath {
  /// A path from its bytes, which need not be UTF-8. Bytes after a NUL are dropped.
  public init(bytes: some Sequence<UInt8>) {
    var characters = bytes.map { CChar(bitPattern: $0) }
    characters.append(0)
    self = characters.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
    }
  }

  /// The bytes of the path as the file system has them.
  public var bytes: [UInt8] {
    withPlatformString { start in
      Array(UnsafeRawBufferPointer(start: start, count: length))
    }
  }
}

extension FilePath.Component {
  /// The bytes of the name as the file system has them.
  public var bytes: [UInt8] {
    withPlatformString { start in
      Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }
  }
}
