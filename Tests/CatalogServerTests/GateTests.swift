import HTTPTypes
import Testing

@testable import CatalogServer

@Suite("Who may ask")
struct GateTests {
  private func request(_ host: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "http", authority: host, path: "/", headerFields: fields)
  }

  private func status(_ gate: Gate, _ request: HTTPRequest) -> Int? {
    do throws(Problem) {
      try gate.check(request)
      return nil
    } catch {
      return error.status
    }
  }

  @Test(
    "addresses lead here, names only where they are known",
    arguments: [
      ("127.0.0.1", true), ("127.0.0.1:80", true), ("192.168.1.5:7433", true), ("[::1]:7433", true),
      ("[fe80::1]", true), ("localhost", true), ("LOCALHOST:1", true), ("files.example", true),
      ("evil.example", false), ("1.2.3.4.evil.example", false), ("1.2.3", false),
      ("1.2.3.256", false),
      ("localhost.evil.example", false), ("[evil]", false), ("xn--fiq", false),
    ])
  func hosts(_ host: String, _ isOurs: Bool) {
    let gate = Gate(token: nil, hosts: ["files.example"])
    #expect(status(gate, request(host)) == (isOurs ? nil : 403))
  }

  @Test(
    "tokens are the same only as a whole",
    arguments: [
      ("secret-secret-16", true), ("secret-secret-1", false), ("secret-secret-16x", false),
      ("", false),
      ("Secret-secret-16", false), ("secret-secret-1\u{0}", false),
    ])
  func tokens(_ given: String, _ isSame: Bool) {
    let token = Array("secret-secret-16".utf8)
    #expect(Gate.isSame(Array(given.utf8), token) == isSame)
    let gate = Gate(token: token, hosts: [])
    #expect(status(gate, request("localhost")) == 401)
    if !given.contains("\u{0}") {
      #expect(
        status(gate, request("localhost", [.authorization: "Bearer \(given)"]))
          == (isSame ? nil : 401))
      #expect(status(gate, request("localhost", [.authorization: "Basic \(given)"])) == 401)
    }
  }
}
