internal import HTTPTypes

/// Finds who answers a request.
struct Routes: Sendable {
  private struct Route {
    let parts: [String]
    let endpoint: Endpoint

    /// What varies in the path; `nil` where it is another.
    func variables(of path: [String]) -> [String: String]? {
      guard path.count == parts.count else { return nil }
      var variables: [String: String] = [:]
      for (part, value) in zip(parts, path) {
        if part.first == "{" {
          guard !value.isEmpty else { return nil }
          variables[String(part.dropFirst().dropLast())] = value
        } else if part != value {
          return nil
        }
      }
      return variables
    }
  }

  private let routes: [Route]

  init(_ endpoints: [Endpoint]) {
    routes = endpoints.map { endpoint in
      Route(
        parts: endpoint.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
          .map(String.init),
        endpoint: endpoint)
    }
  }

  /// Who answers, and what varies in the path.
  ///
  /// - Throws: the statuses 404 and 405.
  func find(
    _ method: HTTPRequest.Method, _ path: [String]
  ) throws(Problem) -> (Endpoint, [String: String]) {
    var others: [String] = []
    for route in routes {
      guard let variables = route.variables(of: path) else { continue }
      // A request for the headers is one for the answer without its body.
      if route.endpoint.method == method || method == .head && route.endpoint.method == .get {
        return (route.endpoint, variables)
      }
      others.append(route.endpoint.method.rawValue)
      if route.endpoint.method == .get { others.append("HEAD") }
    }
    guard !others.isEmpty else {
      throw Problem(404, "not_found", "there is nothing at /\(path.joined(separator: "/"))")
    }
    var problem = Problem(
      405, "method_not_allowed", "\(method.rawValue) is not possible there")
    problem.allowed = others.joined(separator: ", ")
    throw problem
  }
}
