public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension FilePath {
  /// A path from its bytes, which need not be UTF-8. Bytes after a NUL are dropped.
  public init(bytes: some Sequence<UInt8>) {
    // Going through a sequence one element after the other would cost more than reading its row.
    self =
      bytes.withContiguousStorageIfAvailable { FilePath(contiguous: $0) }
      ?? Array(bytes).withUnsafeBufferPointer { FilePath(contiguous: $0) }
  }

  private init(contiguous bytes: UnsafeBufferPointer<UInt8>) {
    self = withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
      guard let start = buffer.baseAddress else { return FilePath() }
      if let source = bytes.baseAddress { memcpy(start, source, bytes.count) }
      buffer[bytes.count] = 0
      return FilePath(platformString: start)
    }
  }

  /// The bytes of the path as the file system has them.
  public var bytes: [UInt8] {
    withPlatformString { start in
      Array(UnsafeRawBufferPointer(start: start, count: length))
    }
  }
}

extension FilePath {
  /// The path of what lies beside, by a name that has these letters more at its end.
  package func with(ending: String) -> FilePath { FilePath(bytes: bytes + Array(ending.utf8)) }

  /// Calls `body` with the bytes of the path, which are only lent.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withPlatformString { start in
      UnsafeBufferPointer(start: start, count: length).withMemoryRebound(to: UInt8.self, body)
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
