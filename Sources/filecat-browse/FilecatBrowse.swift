import CPlatform
import CatalogBrowser
import Console
import FileCatalog
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The program that `filecat browse` becomes. It is one of its own, so that the command does not load ncurses
/// each time that it lists a directory.
@main
enum FilecatBrowse {
  private static let failed: Int32 = 4
  private static let usage: Int32 = 64
  private static let interrupted: Int32 = 130

  static func main() {
    cplatform_occupy_standard_descriptors()
    StandardStream.reportClosedPipes()
    do {
      let arguments = try BrowseArguments(ProcessArguments.words)
      let catalog = try Catalog(
        at: arguments.catalog, access: .existing, contentHost: arguments.contentHost)
      let end = try Browser.run(catalog, arguments.options)
      // What is going on still is left alone: nothing waits for it.
      try? catalog.close()
      finish(end)
    } catch let error as BrowseArguments.Mistake {
      tell(error.text)
      exit(usage)
    } catch let error as CursesTerminal.StartError {
      tell("\(error)")
      exit(usage)
    } catch {
      tell("\(error)")
      exit(failed)
    }
  }

  private static func finish(_ end: Browser.End) -> Never {
    switch end {
    case .quit: exit(0)
    case .signal(SIGINT): exit(interrupted)
    case .signal(let number):
      cplatform_end_by_signal(number)
      exit(128 + number)
    }
  }

  private static func tell(_ line: String) {
    try? StandardStream.error.print("filecat: \(line)")
  }
}
