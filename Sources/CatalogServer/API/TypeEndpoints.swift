internal import Console
internal import FileCatalog
internal import HTTPTypes
internal import StandardDirectories
internal import SystemPackage
internal import UniformTypes

/// Uniform types, and the best variants of assets.
struct TypeEndpoints {
  let catalog: Catalog
  let registry: TypeRegistry

  var all: [Endpoint] { [types, type, lookup] }

  private var type: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/types/{identifier}", "A type by its identifier",
      parameters: [
        Parameter(
          "identifier", .text, "The identifier, such as public.jpeg.", place: .path,
          isRequired: true)
      ], reply: .json(.named("Type")), validity: .whileCatalogStays, problems: [404]
    ) { ask in Self.answer(try type(ask.variable("identifier"))) }
  }

  private var types: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/types",
      "The type of an extension or of a MIME type, or whether one conforms to another",
      parameters: [
        Parameter("extension", .text, "An extension, without the dot."),
        Parameter("mime", .text, "A MIME type, such as image/jpeg."),
        Parameter("conforms", .text, "Two identifiers, with a comma between them."),
      ],
      reply: .json(
        .object(
          [.maybe("conforms", .truth), .maybe("identifier", .text)], others: .any)),
      validity: .whileCatalogStays, problems: [404]
    ) { ask in
      let given = ["extension", "mime", "conforms"].filter { ask.word($0) != nil }
      guard given.count == 1 else {
        throw Problem(400, "bad_parameter", "name one of extension, mime and conforms")
      }
      if let word = ask.word("extension") {
        guard let type = registry.type(filenameExtension: word, conformingTo: .data) else {
          throw Problem.parameter("extension", "takes one without its dot, such as jpg")
        }
        return Self.answer(type)
      }
      if let word = ask.word("mime") {
        guard word.contains("/"),
          let type = registry.type(tag: word, tagClass: .mimeType, conformingTo: nil)
        else { throw Problem.parameter("mime", "takes a type such as image/jpeg") }
        return Self.answer(type)
      }
      let pair = (ask.word("conforms") ?? "").split(separator: ",").map(String.init)
      guard pair.count == 2 else {
        throw Problem.parameter("conforms", "takes two identifiers with a comma between them")
      }
      let (first, second) = (try type(pair[0]), try type(pair[1]))
      return Answer.json { $0.member("conforms", .boolean(first.conforms(to: second))) }
    }
  }

  private func type(_ identifier: String) throws(Problem) -> UniformType {
    if let type = registry.type(identifier: identifier) { return type }
    var problem = Problem(404, "type_not_found", "no type “\(identifier)” is declared")
    problem.nearest = registry.identifiers(resembling: identifier).first
    throw problem
  }

  private static func answer(_ type: UniformType) -> Answer {
    var json = JSONWriter()
    json.row(
      TypeField.allCases.map { $0.cell(of: type) },
      of: JSONRows(columns: TypeField.allCases.map(\.column)))
    return Answer(json.bytes, "application/json")
  }

  private var lookup: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/lookup",
      "The variants of an asset that suit a device, the best first",
      parameters: [
        Parameter(
          "name", .text, "The name, with or without extension and marks.", isRequired: true),
        Parameter("idiom", .text, "The kind of device, such as ipad."),
        Parameter("scale", .text, "The pixels a point of its screen: 1, 2, 1.5."),
        Parameter("height", .integer(1...100_000), "The height of its screen in points."),
        Parameter("in", .text, "An absolute path: only there and below."),
        Parameter("in_base64", .text, "The same as Base64 of its bytes."),
      ],
      reply: .json(.object([.member("assets", .list(.named("Asset"), atMost: 1000))])),
      validity: .whileCatalogStays, problems: [404]
    ) { [catalog] ask in
      guard let name = ask.word("name") else { throw Problem.parameter("name", "is missing") }
      guard let scale = AssetScale(ask.word("scale") ?? "1") else {
        throw Problem.parameter("scale", "takes a number above 0 such as 2 or 1.5")
      }
      var idiom: Idiom?
      if let word = ask.word("idiom") {
        idiom = Idiom(named: word)
        guard idiom != nil else {
          throw Problem.parameter(
            "idiom", "takes one of \(Idiom.allCases.map(\.rawValue).joined(separator: ", "))")
        }
      }
      let device = AssetLookup.Device(
        idiom: idiom, scale: scale, height: try ask.integer("height"), width: nil)
      let assets = try await catalog.assets(
        named: FilePath(name), on: device, in: try ask.path("in"), limit: 1000)
      return Answer.json {
        $0.member("assets", rows: assets.map(\.cells), of: AssetMatch.printedColumns)
      }
    }
  }
}
