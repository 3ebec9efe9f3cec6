package import SystemPackage

extension FileStatus {
  /// The values of an open file.
  package init(of descriptor: FileDescriptor) throws(Errno) {
    var code: Int32 = 0
    var empty: CChar = 0
    self.init(of: &empty, in: descriptor.rawValue, errno: &code)
    guard code == 0 else { throw Errno(rawValue: code) }
  }
}
