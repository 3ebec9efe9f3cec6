import CPlatform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Asks the kernel itself, not the code under test, whether fanotify may be used.
enum FanotifyProbe {
  static var isPermitted: Bool {
    var descriptor: Int32 = -1
    guard cplatform_fanotify_open(&descriptor) == 0 else { return false }
    defer { close(descriptor) }
    let directory = cplatform_open_directory(AT_FDCWD, "/tmp")
    guard directory >= 0 else { return false }
    defer { close(directory) }
    return cplatform_fanotify_mark_volume(descriptor, directory) == 0
  }
}
