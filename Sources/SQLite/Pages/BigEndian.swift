// All numbers in the file are big-endian and may lie at any offset (file format, 1.3 and 1.6).

extension UnsafeMutableRawPointer {
  @inline(__always)
  func storeBigEndian(_ value: some FixedWidthInteger & BitwiseCopyable, at offset: Int = 0) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: type(of: value))
  }
}

extension UnsafeRawPointer {
  @inline(__always)
  func loadBigEndian<T: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int = 0, as type: T.Type
  ) -> T {
    T(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}
