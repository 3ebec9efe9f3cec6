package import FileSystem
internal import TextMatching

/// What a scan leaves out: globs on names, or with a slash inside on paths below the root.
package struct ExcludeRules: Sendable {
  private let names: [Glob]
  private let paths: [Glob]

  /// - Throws: ``CatalogError`` for a glob that is not well formed.
  package init(_ globs: [String]) throws(CatalogError) {
    var names: [Glob] = []
    var paths: [Glob] = []
    for text in globs {
      // `build/` and `/build` are written too: the slash at an end only says what is meant.
      let trimmed = text.drop { $0 == "/" }
      let pattern = String(trimmed.last == "/" ? trimmed.dropLast() : trimmed)
      do throws(PatternError) {
        if pattern.contains("/") || text.hasPrefix("/") {
          paths.append(try Glob(pattern, syntax: .path, caseSensitivity: .sensitive))
        } else {
          names.append(try Glob(pattern, syntax: .name, caseSensitivity: .sensitive))
        }
      } catch {
        throw CatalogError(
          .invalidExclusion, "\(text): \(error.message); expected \(error.expected)")
      }
    }
    self.names = names
    self.paths = paths
  }

  /// The rules as the walker asks for them; `nil` when nothing is left out.
  package var exclusion: WalkOptions.Exclusion? {
    guard !names.isEmpty || !paths.isEmpty else { return nil }
    return { directory, name in
      let bytes = UnsafeRawBufferPointer(name)
      if names.contains(where: { $0.matches(bytes) }) { return true }
      guard !paths.isEmpty else { return false }
      let path = Array(directory) + (directory.isEmpty ? [] : [UInt8(ascii: "/")]) + Array(name)
      return path.withUnsafeBytes { path in paths.contains { $0.matches(path) } }
    }
  }
}
