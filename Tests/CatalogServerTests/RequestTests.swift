import HTTPTypes
import TestSupport
import Testing

@testable import CatalogServer

@Suite("Requests")
struct RequestTests {
  @Test(
    "addresses are taken apart as forms write them",
    arguments: [
      ("/", [""], []), ("/a/b", ["a", "b"], []), ("/a%2Fb?x=1", ["a/b"], ["x=1"]),
      ("/a+b?q=c+d%2B", ["a+b"], ["q=c d+"]),
      ("/?a&b=&=c&&d=e=f", [""], ["a=", "b=", "=c", "d=e=f"]),
      ("/x?q=%C3%A9#part", ["x"], ["q=é"]),
    ])
  func targets(_ text: String, _ path: [String], _ parameters: [String]) throws {
    let target = try RequestTarget(parsing: text)
    #expect(target.path == path)
    #expect(target.parameters.map { "\($0.name)=\($0.value)" } == parameters)
  }

  @Test(
    "what is no address is refused",
    arguments: [
      ("x", 400), ("/%", 400), ("/%g0", 400), ("/?q=%ff", 400), ("/%00", 400), ("*", 400),
      ("/" + String(repeating: "a", count: 20_000), 414),
      ("/?" + String(repeating: "a&", count: 300), 400),
    ])
  func refused(_ text: String, _ status: Int) {
    do throws(Problem) {
      _ = try RequestTarget(parsing: text)
      Issue.record("taken")
    } catch {
      #expect(error.status == status)
    }
  }

  @Test("any bytes are an address or are refused", arguments: [1 as UInt64, 2, 3])
  func anything(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<2000 {
      let bytes = (0..<random.below(60)).map { _ in UInt8(random.below(0x80)) }
      _ = try? RequestTarget(parsing: "/" + String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test(
    "gzip is what the header says",
    arguments: [
      ("gzip", true), ("br, gzip;q=0.5", true), ("*", true), ("GZIP", true), ("gzip;q=0", false),
      ("gzip; q=0.0", false), ("identity", false), ("", false), ("gzip;q=0.001", true),
    ])
  func acceptance(_ header: String, _ isAccepted: Bool) {
    #expect(Gzip.isAccepted(by: header) == isAccepted)
  }

  @Test("what is compressed is smaller, and begins as gzip does")
  func compression() throws {
    let bytes = Array(String(repeating: "entries and bytes ", count: 1000).utf8)
    let packed = try #require(Gzip.compressed(bytes))
    #expect(packed.count < bytes.count / 10)
    #expect(packed.starts(with: [0x1f, 0x8b]))
    #expect(Gzip.compressed([]) != nil)
  }
}
