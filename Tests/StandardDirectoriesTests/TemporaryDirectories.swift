import SystemPackage
import TestSupport

/// Runs with a new directory without symbolic links in its path, and removes it.
func withDirectory<Result>(_ body: (FilePath) throws -> Result) throws -> Result {
  try withTemporaryDirectory { try body($0.path) }
}

func make(_ directory: FilePath) throws { try TemporaryDirectory.makeDirectories(to: directory) }

func write(_ text: String, to file: FilePath) throws { try write(text.utf8, to: file) }

func write(_ bytes: some Sequence<UInt8>, to file: FilePath) throws {
  try TemporaryDirectory(at: file.removingLastComponent())
    .write(bytes, to: FilePath(file.lastComponent?.string ?? ""))
}

func makeLink(_ path: FilePath, to target: FilePath) throws {
  try TemporaryDirectory(at: path.removingLastComponent())
    .makeLink(FilePath(path.lastComponent?.string ?? ""), to: target)
}
