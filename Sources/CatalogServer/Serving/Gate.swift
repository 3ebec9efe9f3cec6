internal import HTTPTypes

/// Who may ask.
///
/// A browser sends requests for any page that it shows. So a request must name this machine as its host, which a
/// name that somebody else has made to lead here does not do; and where it says which page it comes from, that
/// must be one of this server.
struct Gate: Sendable {
  let token: [UInt8]?
  let hosts: Set<String>

  /// The cookie that the page has in place of the header.
  static let cookie = "filecat_token"

  /// Throws the statuses 400, 401 and 403.
  func check(_ request: HTTPRequest) throws(Problem) {
    guard let authority = request.authority ?? request.headerFields[Self.host], !authority.isEmpty
    else { throw Problem(400, "no_host", "the request names no host") }
    guard isOurs(Self.host(of: authority)) else {
      throw Problem(
        403, "foreign_host", "this server is not called \(Self.host(of: authority))")
    }
    if let origin = request.headerFields[.origin],
      !["http://\(authority)", "https://\(authority)"].contains(origin.lowercased())
        && !["http://\(authority.lowercased())", "https://\(authority.lowercased())"].contains(
          origin.lowercased())
    {
      throw Problem(403, "foreign_origin", "other pages may not ask here")
    }
    // Whoever follows a link to the page comes from elsewhere, and may.
    if let site = request.headerFields[Self.fetchSite], site == "cross-site" || site == "same-site",
      request.headerFields[Self.fetchMode] != "navigate"
    {
      throw Problem(403, "foreign_origin", "other pages may not ask here")
    }
    guard let token else { return }
    guard let given = Self.token(in: request), Self.isSame(given, token) else {
      throw Problem(401, "no_token", "every request needs the token of the server")
    }
  }

  // MARK: - Hosts

  private static let host = HTTPField.Name("Host") ?? .ifRange
  private static let fetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .ifRange
  private static let fetchMode = HTTPField.Name("Sec-Fetch-Mode") ?? .ifRange

  /// The name without the port.
  private static func host(of authority: String) -> String {
    if authority.first == "[" {
      return String(authority.dropFirst().prefix { $0 != "]" })
    }
    return String(authority.prefix { $0 != ":" }).lowercased()
  }

  /// An address leads where it says; a name leads where its owner says.
  private func isOurs(_ host: String) -> Bool {
    if host == "localhost" || hosts.contains(host) { return true }
    if host.contains(":") { return host.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." } }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  // MARK: - The token

  private static func token(in request: HTTPRequest) -> [UInt8]? {
    if let header = request.headerFields[.authorization] {
      guard header.lowercased().hasPrefix("bearer ") else { return nil }
      return Array(header.dropFirst("bearer ".count).utf8)
    }
    for field in request.headerFields[values: .cookie] {
      for item in field.split(separator: ";") {
        let pair = item.drop { $0 == " " }
        if pair.hasPrefix("\(cookie)=") { return Array(pair.dropFirst(cookie.count + 1).utf8) }
      }
    }
    return nil
  }

  /// Whether two tokens are the same, in a time that does not tell how much of them is.
  static func isSame(_ given: [UInt8], _ token: [UInt8]) -> Bool {
    var difference = UInt8(given.count == token.count ? 0 : 1)
    for index in token.indices {
      difference |= token[index] ^ (index < given.count ? given[index] : 0)
    }
    return difference == 0
  }

  /// What opens the page with a token in its address: the token goes into a cookie, and the address is without
  /// it from then on.
  func entrance(_ target: RequestTarget) -> Answer? {
    guard let token, target.path == [""],
      let given = target.parameters.first(where: { $0.name == "token" })?.value,
      Self.isSame(Array(given.utf8), token)
    else { return nil }
    let value = "\(Self.cookie)=\(given); Path=/; HttpOnly; SameSite=Strict"
    return Answer(status: .seeOther, fields: [.location: "/", .setCookie: value])
  }
}
