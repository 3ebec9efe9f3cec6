package import SystemPackage

/// The files in `Tests/Corpus`.
package enum Corpus {
  /// A file, which prints as its name.
  package struct File: Sendable, CustomStringConvertible {
    package let name: String
    package let bytes: [UInt8]
    package var description: String { name }
  }

  /// The path of a directory of the corpus.
  package static func path(_ directory: FilePath) -> FilePath {
    FilePath(#filePath).removingLastComponent().removingLastComponent()
      .appending("Corpus").pushing(directory)
  }

  /// The files of a directory of the corpus, by name; none if there is no such directory.
  package static func files(_ directory: FilePath) -> [File] {
    let found = TemporaryDirectory(at: path(directory))
    let names = ((try? found.names()) ?? []).sorted()
    return names.compactMap { name in
      (try? found.bytes(of: FilePath(name))).map { File(name: name, bytes: $0) }
    }
  }
}

extension SeededRandom {
  /// What somebody has made of some bytes who wants to do harm, or a disk that fails: a few bytes
  /// changed, left out, doubled, moved, cut off, or replaced by such as parsers stumble over.
  package mutating func damage(_ bytes: [UInt8], with tokens: [String] = []) -> [UInt8] {
    var result = bytes
    for _ in 0...below(4) {
      let place = below(result.count + 1)
      let end = min(result.count, place + 1 + below(below(8) == 0 ? 200 : 8))
      switch below(9) {
      case 0 where place < result.count: result[place] = UInt8(truncatingIfNeeded: next())
      case 1 where place < result.count: result[place] ^= 1 << UInt8(below(8))
      case 2 where place < result.count: result[place] = [0, 0x7F, 0x80, 0xFF, 0x20][below(5)]
      case 3: result.removeSubrange(place..<end)
      case 4: result.insert(contentsOf: result[place..<end], at: place)
      case 5: result.insert(contentsOf: result[place..<end], at: below(result.count + 1))
      case 6:
        let part = result[place..<end]
        for _ in 0..<20 { result.insert(contentsOf: part, at: place) }
      case 7 where !tokens.isEmpty:
        result.insert(contentsOf: tokens[below(tokens.count)].utf8, at: place)
      default:
        if below(4) == 0 { result.removeSubrange(place...) }
      }
    }
    return result
  }
}
