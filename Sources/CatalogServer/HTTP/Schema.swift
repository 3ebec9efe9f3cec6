internal import Console

/// What a value of JSON may be, as far as the API has to say it.
indirect enum Schema: Sendable {
  case any
  case text
  case word([String])
  case integer(ClosedRange<Int>? = nil)
  case number
  case truth
  /// A value or null.
  case optional(Schema)
  case list(Schema, atMost: Int? = nil)
  /// Members, and what others there may be.
  case object([Member], others: Schema? = nil)
  /// One that has a name in the document.
  case named(String)

  struct Member: Sendable {
    let name: String
    let schema: Schema
    let isRequired: Bool
    let meaning: String?
  }
}

extension Schema.Member {
  /// A member that is always there.
  static func member(_ name: String, _ schema: Schema, _ meaning: String? = nil) -> Self {
    Self(name: name, schema: schema, isRequired: true, meaning: meaning)
  }

  /// A member that may be left out.
  static func maybe(_ name: String, _ schema: Schema, _ meaning: String? = nil) -> Self {
    Self(name: name, schema: schema, isRequired: false, meaning: meaning)
  }
}

extension JSONWriter {
  /// Writes a schema as OpenAPI 3.1 has it, which is [JSON Schema](https://json-schema.org).
  mutating func schema(_ schema: Schema, _ meaning: String? = nil) {
    object { json in
      json.content(of: schema)
      if let meaning { json.member("description", .text(meaning)) }
    }
  }

  private mutating func content(of schema: Schema) {
    switch schema {
    case .any: break
    case .text: member("type", "string")
    case .word(let words):
      member("type", "string")
      member("enum", texts: words)
    case .integer(let range):
      member("type", "integer")
      if let range {
        member("minimum", .integer(Int64(range.lowerBound)))
        if range.upperBound != .max { member("maximum", .integer(Int64(range.upperBound))) }
      }
    case .number: member("type", "number")
    case .truth: member("type", "boolean")
    case .optional(let value):
      key("anyOf")
      array { json in
        json.schema(value)
        json.object { $0.member("type", "null") }
      }
    case .list(let element, let most):
      member("type", "array")
      if let most { member("maxItems", .integer(Int64(most))) }
      key("items")
      self.schema(element)
    case .object(let members, let others):
      member("type", "object")
      member("required", texts: members.filter(\.isRequired).map(\.name))
      key("properties")
      object { json in
        for member in members {
          json.key(member.name)
          json.schema(member.schema, member.meaning)
        }
      }
      key("additionalProperties")
      if let others { self.schema(others) } else { boolean(false) }
    case .named(let name): member("$ref", .text("#/components/schemas/\(name)"))
    }
  }
}
