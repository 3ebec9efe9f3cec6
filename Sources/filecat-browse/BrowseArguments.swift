import CatalogBrowser
import FileCatalog
import SystemPackage

/// What `filecat browse` has understood of its command line, handed on to this program.
struct BrowseArguments {
  struct Mistake: Error {
    let text: String
  }

  private(set) var catalog: FilePath
  private(set) var options = Browser.Options()
  /// Where scans have files read: the command that has become this program, which does it in processes.
  private(set) var contentHost = ContentHost.thisProcess

  /// - Parameter words: the arguments, as bytes.
  init(_ words: [[UInt8]]) throws(Mistake) {
    var rest = words[...]
    var catalog: FilePath?
    while let word = rest.popFirst() {
      let name = String(decoding: word, as: UTF8.self)
      switch name {
      case "--read-only": options.access = .readOnly
      case "--apparent-size": options.sizes = .apparent
      case "--watch": options.watching = .itself
      case "--no-color": options.colors = .none
      default:
        guard let value = rest.popFirst() else { throw Mistake(text: "“\(name)” needs a value") }
        switch name {
        case "--catalog": catalog = FilePath(bytes: value)
        case "--directory": options.directory = FilePath(bytes: value)
        case "--command":
          contentHost = .program(FilePath(bytes: value), arguments: ["read-content"])
        case "--sort": options.key = try Self.key(value)
        case "--now":
          guard let now = Int64(String(decoding: value, as: UTF8.self)) else {
            throw Mistake(text: "--now takes seconds since 1970")
          }
          options.now = now
        default: throw Mistake(text: "there is no option “\(name)”; start it by: filecat browse")
        }
      }
    }
    guard let catalog else { throw Mistake(text: "start it by: filecat browse") }
    self.catalog = catalog
  }

  private static func key(_ word: [UInt8]) throws(Mistake) -> SortKey {
    guard let key = SortKey(rawValue: String(decoding: word, as: UTF8.self)) else {
      throw Mistake(
        text: "--sort takes \(SortKey.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return key
  }
}
