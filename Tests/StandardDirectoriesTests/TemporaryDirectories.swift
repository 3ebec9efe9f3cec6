import Foundation
import SystemPackage

/// Runs with a new directory without symbolic links in its path, and removes it.
func withDirectory<Result>(_ body: (FilePath) throws -> Result) throws -> Result {
  let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    .appendingPathComponent("directories-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: url) }
  return try body(FilePath(url.path))
}

func make(_ directory: FilePath) throws {
  try FileManager.default.createDirectory(
    atPath: directory.string, withIntermediateDirectories: true)
}

func write(_ text: String, to file: FilePath) throws {
  try write(Data(text.utf8), to: file)
}

func write(_ data: Data, to file: FilePath) throws {
  try make(file.removingLastComponent())
  try data.write(to: URL(fileURLWithPath: file.string))
}

func makeLink(_ path: FilePath, to target: FilePath) throws {
  try make(path.removingLastComponent())
  try FileManager.default.createSymbolicLink(
    atPath: path.string, withDestinationPath: target.string)
}
