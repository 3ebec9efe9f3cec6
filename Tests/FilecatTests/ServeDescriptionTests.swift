import Foundation
import SystemPackage
import TestSupport
import Testing

/// The description of the API: it tells of every address, and answers are what it says.
@Suite("The description of the API of filecat serve")
struct ServeDescriptionTests {
  @Test("every address of the description is answered, as it says")
  func answers() throws {
    let served = try ServedCatalog("--allow-sql")
    try served.sandbox.makeFile("later")
    try served.rescan()
    let document = try served.json("/openapi.json")
    #expect(document["openapi"].string == "3.1.0")
    guard case .object(let paths) = document["paths"] else {
      throw CommandError(description: "no paths")
    }
    #expect(paths.count > 20)
    let tree = served.sandbox.tree
    let examples = [
      "/entry": "?path=\(tree)", "/growth": "?path=\(tree)", "/lookup": "?name=icon&scale=2",
      "/types": "?extension=png", "/check": "?q=*.txt", "/complete": "?q=si",
      "/tables/{id}/find": "?path=\(tree)", "/changes": "?since=1", "/totals": "?depth=3",
    ]
    let bodies = [
      "/tables": #"{"q":"*"}"#, "/tables/{id}": #"{"sort":"-size"}"#,
      "/sql": #"{"statement":"SELECT 1"}"#,
    ]
    for (path, operations) in paths {
      guard case .object(let methods) = operations else { continue }
      for (method, operation) in methods {
        let table = try served.openTable("{}")
        let short = path.replacing("/api/v1", with: "")
        let target =
          path.replacing("{id}", with: table).replacing("{name}", with: "usage_by_type")
          .replacing("{identifier}", with: "public.png") + (examples[short] ?? "")
        guard case .object(let responses) = operation["responses"],
          let status = responses.keys.first(where: { $0.hasPrefix("2") })
        else { throw CommandError(description: "\(path) has no answer") }
        if path.hasSuffix("/events") {
          _ = try EventReader(port: served.port, target)
          continue
        }
        let response = try served.ask(
          method.uppercased(), target,
          body: ["post", "patch"].contains(method) ? bodies[short] : nil)
        #expect("\(response.status)" == status, "\(method) \(target): \(response.text)")
        let schema = responses[status]?["content"]["application/json"]["schema"] ?? .null
        guard schema != .null else { continue }
        let value = try JSONValue(parsing: response.text)
        let faults = Validator(document).faults(of: value, in: schema, at: path)
        #expect(faults.isEmpty, "\(faults)")
        let problem = try served.ask(
          method.uppercased(), target + (target.contains("?") ? "&" : "?") + "x=1",
          body: ["post", "patch"].contains(method) ? bodies[short] : nil)
        #expect(problem.status == 400, "\(target)")
        let told = Validator(document).faults(
          of: try JSONValue(parsing: problem.text),
          in: .object(["$ref": .string("#/components/schemas/Problem")]), at: path)
        #expect(told.isEmpty, "\(told)")
      }
    }
  }

  @Test("other methods are refused with those that there are")
  func methods() throws {
    let served = try ServedCatalog()
    let response = try served.ask("PUT", "/api/v1/entries")
    #expect(response.status == 405)
    #expect(response.headers["allow"] == "GET, HEAD")
  }
}

/// As much of JSON Schema as the description has.
private struct Validator {
  private let document: JSONValue

  init(_ document: JSONValue) { self.document = document }

  func faults(of value: JSONValue, in schema: JSONValue, at path: String) -> [String] {
    if let name = schema["$ref"].string?.split(separator: "/").last {
      return faults(
        of: value, in: document["components"]["schemas"][String(name)], at: path)
    }
    if case .array(let choices) = schema["anyOf"] {
      return choices.contains { faults(of: value, in: $0, at: path).isEmpty }
        ? [] : ["\(path): \(value) is none of \(choices)"]
    }
    switch (schema["type"].string, value) {
    case (nil, _): return []
    case ("null", .null), ("boolean", .truth), ("number", .integer), ("number", .real): return []
    case ("string", .string):
      let words = schema["enum"].list
      return words.isEmpty || words.contains(value) ? [] : ["\(path): \(value) is none of \(words)"]
    case ("integer", .integer(let number)):
      let isLow = schema["minimum"].integer.map { number < $0 } ?? false
      let isHigh = schema["maximum"].integer.map { number > $0 } ?? false
      return isLow || isHigh ? ["\(path): \(number) is out of range"] : []
    case ("array", .array(let elements)):
      if let most = schema["maxItems"].integer, elements.count > most {
        return ["\(path): too many"]
      }
      return elements.enumerated().flatMap {
        faults(of: $1, in: schema["items"], at: "\(path)[\($0)]")
      }
    case ("object", .object(let members)):
      guard case .object(let known) = schema["properties"] else {
        return ["\(path): no properties"]
      }
      let missing = schema["required"].list.compactMap(\.string).filter { members[$0] == nil }
      return missing.map { "\(path): \($0) is missing" }
        + members.flatMap { name, member in
          if let schema = known[name] {
            return faults(of: member, in: schema, at: "\(path).\(name)")
          }
          let others = schema["additionalProperties"]
          return others == .truth(false)
            ? ["\(path): \(name) is not in the description"]
            : faults(of: member, in: others, at: "\(path).\(name)")
        }
    default: return ["\(path): \(value) is no \(schema["type"].string ?? "")"]
    }
  }
}
