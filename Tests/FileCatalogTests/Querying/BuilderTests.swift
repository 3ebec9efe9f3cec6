import FileCatalog
import Testing
import UniformTypes

@Suite("Building queries")
struct BuilderTests {
  static let pairs: [(Filter, String)] = [
    (.size(>10.megabytes) && .conforms(to: .image), "size:>10MB is:public.image"),
    (.size(>=2.kibibytes), "size:>=2K"),
    (.size(<=3.gibibytes), "size:<=3G"),
    (.size(..<1.mebibytes), "size:<1M"),
    (.size(1.kibibytes...4.kibibytes), "size:1k..4k"),
    (.allocated(>1.kilobytes) || .allocated(..<2.gigabytes), "allocated:>1KB OR allocated:<2GB"),
    (.name("*.swift") && !.flag(.hidden), "name:*.swift -hidden:yes"),
    (.depth(>2) && .links(>=2) && .uid(<=999), "depth:>2 links:>=2 uid:<=999"),
    (.kind(.file) && .modified(.ages(.lessThan(Filter.Age(7, .day)))), "kind:file modified:<7d"),
  ]

  @Test("what is built is what is typed", arguments: pairs)
  func pair(_ filter: Filter, _ text: String) throws {
    #expect(Query(filter) == (try Query(parsing: text)))
  }

  @Test("units of bytes do not overflow")
  func units() {
    #expect(Int64.max.gibibytes == .max)
    #expect(Int64.min.kilobytes == .min)
    #expect(UInt64.max.kilobytes == .max)
    #expect(3.megabytes == 3_000_000)
    #expect((-1).kibibytes == -1024)
  }
}
