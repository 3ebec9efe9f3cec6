/// Which directories are worth asking whether a Mac has marked them as packages.
///
/// The mark is looked up with two or three system calls, so only directories are asked whose name
/// has an extension that nobody declares: applications for the Mac give their documents one. A
/// number is none: `v1.2` and `python3.11` are versions.
enum BundleNames {
  /// The identifier of the type of a package whose name says nothing.
  static let package = "com.apple.package"

  static func mayBeBundle(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
    let text = name[(dot + 1)...]
    return !text.isEmpty && !text.contains(UInt8(ascii: " "))
      && !text.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
  }
}
