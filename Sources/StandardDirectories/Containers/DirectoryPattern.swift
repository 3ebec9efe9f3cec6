public import SystemPackage

/// How the directories of a role are called: names, in which parameters may stand.
///
/// ```swift
/// let pattern = try DirectoryPattern("User-{id}/Avatars")
/// try pattern.components(["id": "5"])   // User-5, Avatars
/// ```
///
/// A parameter stands for one byte or more of a name, and has a name of small letters, digits and
/// underscores. `{{` and `}}` stand for braces.
public struct DirectoryPattern: Hashable, Sendable {
  /// The values of parameters by their names.
  public typealias Values = [String: FilePath.Component]

  /// The pattern as it was written.
  public let text: String
  /// The names on the way, the outermost first; never empty.
  public let components: [Component]

  /// Reads a pattern.
  ///
  /// - Throws: ``RoleError/malformedDirectory(_:_:)``.
  public init(_ text: String) throws(RoleError) {
    let names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard names.count <= Self.mostComponents else {
      throw .malformedDirectory(text, "it has more than \(Self.mostComponents) names")
    }
    var components: [Component] = []
    for name in names { components.append(try Component(name, of: text)) }
    let parameters = components.flatMap(\.parameters)
    if let twice = parameters.first(where: { name in parameters.count { $0 == name } > 1 }) {
      throw .malformedDirectory(text, "the parameter {\(twice)} stands in it twice")
    }
    self.text = text
    self.components = components
  }

  /// Deeper directories, and more parameters, are a mistake or a trap.
  static let mostComponents = 16

  /// The names of the parameters, in the order in which they stand.
  public var parameters: [String] { components.flatMap(\.parameters) }

  /// The names that values make.
  ///
  /// - Throws: ``DirectoryError/missingParameter(_:)`` where one has no value, and
  ///   ``DirectoryError/refusedParameter(_:_:)`` for a value that would be read as another one.
  public func components(_ values: Values) throws(DirectoryError) -> [FilePath.Component] {
    var names: [FilePath.Component] = []
    for component in components { names.append(try component.name(values)) }
    return names
  }
}

extension DirectoryPattern {
  /// One name of a pattern.
  public struct Component: Hashable, Sendable {
    enum Part: Hashable, Sendable {
      case fixed([UInt8])
      case parameter(String)
    }

    /// Fixed bytes and parameters; no two of a kind follow each other.
    let parts: [Part]

    /// The names of the parameters, in the order in which they stand.
    public var parameters: [String] {
      parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The name itself, where no parameter stands in it.
    var fixedName: FilePath.Component? {
      guard parameters.isEmpty else { return nil }
      return component(of: fixedBytes)
    }

    /// All bytes that are no parameters'.
    var fixedBytes: [UInt8] {
      parts.flatMap { part in if case .fixed(let bytes) = part { bytes } else { [UInt8]() } }
    }

    /// The component as it is written.
    public var text: String {
      parts.map { part in
        switch part {
        case .fixed(let bytes):
          String(
            String(decoding: bytes, as: UTF8.self).flatMap {
              $0 == "{" || $0 == "}" ? [$0, $0] : [$0]
            })
        case .parameter(let name): "{\(name)}"
        }
      }.joined()
    }

    /// The values of the parameters in a name; `nil` where it does not match.
    ///
    /// Each parameter takes as little as it can, the last one what is left.
    public func values(in name: FilePath.Component) -> Values? {
      let bytes = name.bytes
      return bytes.withUnsafeBufferPointer { spans(in: $0) }.flatMap { spans in
        var values: Values = [:]
        for (parameter, span) in zip(parameters, spans) {
          guard let value = component(of: Array(bytes[span])) else { return nil }
          values[parameter] = value
        }
        return values
      }
    }

    /// Whether a name is one of those that the pattern stands for.
    func matches(_ name: UnsafeBufferPointer<UInt8>) -> Bool { spans(in: name) != nil }

    /// The name that values make.
    func name(_ values: Values) throws(DirectoryError) -> FilePath.Component {
      var bytes: [UInt8] = []
      for part in parts {
        switch part {
        case .fixed(let text): bytes += text
        case .parameter(let parameter):
          guard let value = values[parameter] else { throw .missingParameter(parameter) }
          bytes += value.bytes
        }
      }
      let name = component(of: bytes)
      for parameter in parameters {
        guard let name, name.kind == .regular, let read = self.values(in: name),
          read[parameter]?.bytes == values[parameter]?.bytes
        else { throw .refusedParameter(parameter, values[parameter]?.string ?? "") }
      }
      guard let name else { throw .refusedName(String(decoding: bytes, as: UTF8.self)) }
      return name
    }

    private func component(of bytes: [UInt8]) -> FilePath.Component? {
      let path = FilePath(pathBytes: bytes)
      guard path.components.count == 1, path.pathBytes == bytes else { return nil }
      return path.lastComponent
    }
  }
}

extension DirectoryPattern.Component {
  /// Where the parameters stand in a name; `nil` where it does not match.
  private func spans(in name: UnsafeBufferPointer<UInt8>) -> [Range<Int>]? {
    var spans: [Range<Int>] = []
    var position = 0
    /// Where the parameter begins whose end is looked for.
    var open: Int?
    for (index, part) in parts.enumerated() {
      guard case .fixed(let bytes) = part else {
        open = position
        continue
      }
      guard let start = open else {
        guard name[position...].starts(with: bytes) else { return nil }
        position += bytes.count
        continue
      }
      let isLast = index == parts.count - 1
      let earliest = isLast ? max(start + 1, name.count - bytes.count) : start + 1
      guard let found = Self.position(of: bytes, in: name, from: earliest) else { return nil }
      spans.append(start..<found)
      position = found + bytes.count
      open = nil
    }
    if let open {
      guard open < name.count else { return nil }
      spans.append(open..<name.count)
      position = name.count
    }
    return position == name.count ? spans : nil
  }

  private static func position(
    of bytes: [UInt8], in name: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int? {
    guard start >= 0, start + bytes.count <= name.count else { return nil }
    return (start...(name.count - bytes.count)).first { name[$0...].starts(with: bytes) }
  }

  /// Reads one name of a pattern.
  fileprivate init(_ name: String, of text: String) throws(RoleError) {
    do throws(DirectoryError) {
      try DirectoryName.check(name)
    } catch {
      throw .malformedDirectory(text, "“\(name)” cannot name a directory")
    }
    var parts: [Part] = []
    var fixed: [UInt8] = []
    var rest = Array(name.utf8)[...]
    let (opening, closing) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
    while let byte = rest.popFirst() {
      guard byte == opening || byte == closing, rest.first != byte else {
        if byte == opening || byte == closing { rest.removeFirst() }
        fixed.append(byte)
        continue
      }
      guard byte == opening, let end = rest.firstIndex(of: closing) else {
        throw .malformedDirectory(text, "a brace has no other; “{{” and “}}” stand for braces")
      }
      let parameter = String(decoding: rest[..<end], as: UTF8.self)
      guard RoleName.isValid(parameter) else {
        throw .malformedDirectory(text, "“\(parameter)” cannot be the name of a parameter")
      }
      rest = rest[(end + 1)...]
      if !fixed.isEmpty { parts.append(.fixed(fixed)) }
      fixed = []
      if case .parameter? = parts.last {
        throw .malformedDirectory(text, "nothing stands between two parameters")
      }
      parts.append(.parameter(parameter))
    }
    if !fixed.isEmpty { parts.append(.fixed(fixed)) }
    self.parts = parts
  }
}
