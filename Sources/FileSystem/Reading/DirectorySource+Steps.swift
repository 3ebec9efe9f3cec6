internal import SystemPackage

extension DirectorySource {
  /// Opens a directory below an open one, in steps shorter than the longest path a system takes.
  ///
  /// - Parameter path: names joined by slashes; empty for the directory itself.
  func open(below base: DirectoryHandle, path: [UInt8]) throws(Errno) -> DirectoryHandle {
    let longestStep = 1000
    var handle = base
    var start = 0
    repeat {
      var end = min(start + longestStep, path.count)
      while end < path.count && path[end] != UInt8(ascii: "/") { end += 1 }
      var step = path[start..<end].map { CChar(bitPattern: $0) }
      if step.isEmpty { step.append(CChar(bitPattern: UInt8(ascii: "."))) }
      step.append(0)
      let next: DirectoryHandle
      do throws(Errno) {
        next = try open(step, in: handle)
      } catch {
        if handle != base { close(handle) }
        throw error
      }
      if handle != base { close(handle) }
      handle = next
      start = end + 1
    } while start < path.count
    return handle
  }
}
