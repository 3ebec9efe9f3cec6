internal import Console
internal import HTTPTypes

/// The description of the API as [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.0) has it, made of the
/// endpoints themselves.
struct OpenAPI {
  let endpoints: [Endpoint]
  let version: String
  /// Whether a token is asked for.
  let needsToken: Bool

  static let path = "\(EntryEndpoints.root)/openapi.json"

  /// What every request may meet.
  private static let usualProblems = [400, 403, 500, 503]

  var document: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("openapi", "3.1.0")
      json.key("info")
      json.object { json in
        json.member("title", "filecat")
        json.member("version", .text(version))
        json.member(
          "description",
          "A catalog of file metadata. Columns, queries and sort keys are those of the command filecat."
        )
        json.key("license")
        json.object { json in
          json.member("name", "MIT")
          json.member("identifier", "MIT")
        }
      }
      if needsToken {
        json.key("security")
        json.array { $0.object { $0.member("token", .list([])) } }
      }
      json.key("paths")
      json.object { json in
        for path in paths {
          json.key(path)
          json.object { json in
            for endpoint in endpoints where endpoint.path == path { write(endpoint, to: &json) }
          }
        }
      }
      writeComponents(to: &json)
    }
    return json.bytes
  }

  /// Each once, in their order.
  private var paths: [String] {
    endpoints.indices.filter { index in
      endpoints.firstIndex { $0.path == endpoints[index].path } == index
    }.map { endpoints[$0].path }
  }

  private func write(_ endpoint: Endpoint, to json: inout JSONWriter) {
    json.key(endpoint.method.rawValue.lowercased())
    json.object { json in
      json.member("operationId", .text(Self.identifier(of: endpoint)))
      json.member("summary", .text(endpoint.summary))
      if !endpoint.parameters.isEmpty {
        json.key("parameters")
        json.array { json in
          for parameter in endpoint.parameters { write(parameter, to: &json) }
        }
      }
      if let body = endpoint.body {
        json.key("requestBody")
        json.object { json in
          json.member("required", .boolean(true))
          write(body, as: "application/json", to: &json)
        }
      }
      json.key("responses")
      json.object { json in
        json.key("\(endpoint.status)")
        json.object { json in
          json.member("description", .text(endpoint.summary))
          switch endpoint.reply {
          case .json(let schema): write(schema, as: "application/json", to: &json)
          case .text(let media):
            write(.text, as: String(media.prefix { $0 != ";" }), to: &json)
          case .events: write(.text, as: "text/event-stream", to: &json)
          case .none: break
          }
        }
        if endpoint.validity == .whileCatalogStays {
          json.key("304")
          json.object { $0.member("description", "The catalog is as it was.") }
        }
        var problems = Set(Self.usualProblems + endpoint.problems)
        if endpoint.body != nil { problems.formUnion([413, 415, 422]) }
        if needsToken { problems.insert(401) }
        for status in problems.sorted() {
          json.key("\(status)")
          json.object { json in
            json.member("description", "Why there is no answer.")
            write(.named("Problem"), as: "application/problem+json", to: &json)
          }
        }
      }
    }
  }

  private func write(_ parameter: Parameter, to json: inout JSONWriter) {
    json.object { json in
      json.member("name", .text(parameter.name))
      json.member("in", parameter.place == .path ? "path" : "query")
      json.member("description", .text(parameter.meaning))
      json.member("required", .boolean(parameter.isRequired))
      json.key("schema")
      json.schema(parameter.isRepeated ? .list(parameter.schema) : parameter.schema)
      if parameter.isRepeated {
        json.member("style", "form")
        json.member("explode", .boolean(true))
      }
    }
  }

  private func write(_ schema: Schema, as media: String, to json: inout JSONWriter) {
    json.key("content")
    json.object { json in
      json.key(media)
      json.object { json in
        json.key("schema")
        json.schema(schema)
      }
    }
  }

  private func writeComponents(to json: inout JSONWriter) {
    json.key("components")
    json.object { json in
      json.key("schemas")
      json.object { json in
        for (name, schema) in Schema.named {
          json.key(name)
          json.schema(schema)
        }
      }
      guard needsToken else { return }
      json.key("securitySchemes")
      json.object { json in
        json.key("token")
        json.object { json in
          json.member("type", "http")
          json.member("scheme", "bearer")
        }
      }
    }
  }

  /// `getTablesIdRows` of `GET /api/v1/tables/{id}/rows`.
  private static func identifier(of endpoint: Endpoint) -> String {
    let words = endpoint.path.replacing("\(EntryEndpoints.root)/", with: "/")
      .split { !$0.isLetter && !$0.isNumber }
    return endpoint.method.rawValue.lowercased()
      + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
