import Foundation
import SystemPackage
import TestSupport
import Testing

/// A sandbox whose catalog is served by the built command, on a port of its own.
final class ServedCatalog {
  let sandbox: Sandbox
  let process: RunningCommand
  let port: Int

  /// - Parameter makeTree: makes what is scanned first.
  init(_ arguments: String..., makeTree: (Sandbox) throws -> Void = ServedCatalog.smallTree) throws
  {
    sandbox = try Sandbox()
    try makeTree(sandbox)
    let scan = try sandbox.run("scan", "tree")
    guard scan.status == 0 else { throw CommandError(description: scan.errors) }
    process = try sandbox.start(["serve", "--port", "0"] + arguments)
    port = try Self.port(of: process)
  }

  /// The same by the program that the command becomes, which takes words that the command does not.
  init(starting words: [String]) throws {
    sandbox = try Sandbox()
    try Self.smallTree(sandbox)
    let scan = try sandbox.run("scan", "tree")
    guard scan.status == 0 else { throw CommandError(description: scan.errors) }
    let program = try #require(CommandRunner.built("filecat-serve"))
    process = try program.start(["--catalog", sandbox.catalog, "--port", "0"] + words)
    port = try Self.port(of: process)
  }

  deinit {
    process.crash()
    sandbox.remove()
  }

  /// The port in the line that the command prints.
  static func port(of process: RunningCommand) throws -> Int {
    try process.waitForOutput()
    let line = process.outputSoFar
    guard line.hasPrefix("http://"), line.hasSuffix("/\n"),
      let port = line.dropLast(2).split(separator: ":").last.flatMap({ Int($0) })
    else { throw CommandError(description: "no address: \(line) \(try process.finish().errors)") }
    return port
  }

  static func smallTree(_ sandbox: Sandbox) throws {
    try sandbox.makeFile("a.txt", "abc")
    try sandbox.makeFile("b.swift", String(repeating: "x", count: 3000))
    try sandbox.makeFile("sub/icon@2x.png", "12345")
    try sandbox.makeFile("sub/deep/file10", "ten")
    try sandbox.makeFile("sub/deep/file2", "two")
    try sandbox.makeFile(bytes: Array("odd".utf8) + [0xff], "odd")
    try sandbox.directory.makeLink("tree/broken", to: "nowhere")
  }

  // MARK: - Asking

  static let api = "/api/v1"

  /// Asks on a connection of its own.
  func ask(
    _ method: String, _ target: String, _ headers: [String: String?] = [:],
    body: String? = nil
  ) throws -> HTTPConnection.Response {
    try HTTPConnection(port: port).ask(method, target, headers, body: body)
  }

  /// What the API answers with.
  func json(
    _ method: String, _ path: String, body: String? = nil, status: Int = 200
  ) throws -> JSONValue {
    let response = try ask(method, Self.api + path, body: body)
    guard response.status == status else {
      throw CommandError(
        description: "\(method) \(path): \(response.status) \(response.text)")
    }
    return try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
  }

  /// What a problem says.
  func problem(
    _ method: String, _ path: String, body: String? = nil, status: Int
  ) throws -> JSONValue {
    let response = try ask(method, Self.api + path, body: body)
    #expect(response.status == status, "\(path): \(response.text)")
    #expect(response.headers["content-type"] == "application/problem+json")
    return try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
  }

  func json(_ path: String) throws -> JSONValue { try json("GET", path) }

  func problem(_ path: String, status: Int) throws -> JSONValue {
    try problem("GET", path, status: status)
  }

  /// Opens a table, and returns its number.
  func openTable(_ body: String) throws -> String {
    guard let id = try json("POST", "/tables", body: body, status: 201)["id"].string else {
      throw CommandError(description: "the table has no number")
    }
    return id
  }

  func events(of table: String, shape: String = "full", after id: Int? = nil) throws -> EventReader
  {
    try EventReader(
      port: port, "\(Self.api)/tables/\(table)/events?shape=\(shape)",
      id.map { ["Last-Event-ID": "\($0)"] } ?? [:])
  }

  func rescan() throws {
    let scan = try sandbox.run("scan")
    guard scan.status == 0 else { throw CommandError(description: scan.errors) }
  }
}

extension JSONValue {
  subscript(name: String) -> JSONValue {
    if case .object(let members) = self { members[name] ?? .null } else { .null }
  }

  subscript(index: Int) -> JSONValue { index < list.count ? list[index] : .null }

  var list: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var integer: Int? { if case .integer(let number) = self { Int(number) } else { nil } }

  init(parsing text: String) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }
}
