internal import StandardDirectories
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Where buckets are, and who asks for what is in them.
public struct ObjectAccess: Sendable, Hashable {
  /// Who asks. What is secret is in no description.
  public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let key: String
    let secret: String
    let session: String?

    /// - Returns: `nil` where a part is empty, or has other characters than credentials have.
    public init?(key: String, secret: String, session: String? = nil) {
      let parts = [key, secret] + (session.map { [$0] } ?? [])
      guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { 0x21...0x7e ~= $0 } }) else {
        return nil
      }
      self.key = key
      self.secret = secret
      self.session = session
    }

    public var description: String { "credentials" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
  }

  /// The server of buckets that are not Amazon's.
  public struct Endpoint: Sendable, Hashable {
    /// Whether what is sent can be read on the way.
    let isEncrypted: Bool
    /// The name or the number of the machine, and the port.
    let authority: String
    /// What paths begin with.
    let path: String

    /// The server of an address, as in `https://minio.example.org:9000`; `nil` for what is none.
    public init?(_ text: String) {
      let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count >= 3, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty,
        !parts[2].isEmpty
      else { return nil }
      let (authority, path) = (String(parts[2]), parts.count == 4 ? parts[3] : "")
      guard RequestSignature.encoded(authority, keeping: ":[]") == authority,
        RequestSignature.encoded(String(path), keeping: "/") == path
      else { return nil }
      isEncrypted = parts[0] == "https:"
      self.authority = authority
      let names = path.split(separator: "/")
      self.path = names.map { "/\($0)" }.joined()
    }
  }

  public let credentials: Credentials
  /// Where the bucket is, as signatures name it.
  public let region: String
  /// `nil` for Amazon's.
  public let endpoint: Endpoint?

  /// - Returns: `nil` for a region with other characters than letters, digits and hyphens.
  public init?(_ credentials: Credentials, region: String = usualRegion, endpoint: Endpoint? = nil)
  {
    guard !region.isEmpty, RequestSignature.encoded(region) == region, !region.contains(".") else {
      return nil
    }
    self.credentials = credentials
    self.region = region
    self.endpoint = endpoint
  }

  /// The region that counts where nobody names one.
  public static let usualRegion = "us-east-1"

  /// Where a bucket is found: the machine, and the beginning of paths.
  func place(of bucket: String) -> (isEncrypted: Bool, authority: String, path: String) {
    if let endpoint {
      return (endpoint.isEncrypted, endpoint.authority, "\(endpoint.path)/\(bucket)")
    }
    let host = "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
    // A certificate for all buckets is none for names with dots.
    return bucket.contains(".") ? (true, host, "/\(bucket)") : (true, "\(bucket).\(host)", "")
  }
}

// MARK: - The environment

extension ObjectAccess {
  /// What the variables say, and the files that they name or that are usual: the variables first.
  ///
  /// - Throws: ``ObjectError`` with ``ObjectError/Code/noCredentials``.
  init(environment: [String: String]) throws(ObjectError) {
    func variable(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    let named = variable("AWS_PROFILE")
    let profile = named ?? "default"
    let home = try? HostEnvironment.process.home
    func section(
      _ variable: String?, _ usual: FilePath, _ title: String
    ) throws(ObjectError) -> [String: String]? {
      guard let file = variable.map({ FilePath($0) }) ?? home?.pushing(usual) else { return nil }
      do throws(Errno) {
        guard let file = try LocalFiles().fileOfUser(file, limit: Self.largestFile) else {
          return nil
        }
        return ProfileFile(file.bytes).sections[title]
      } catch {
        throw ObjectError(.noCredentials, "\(file.string) cannot be read: \(error)")
      }
    }
    let secrets = try section(
      variable("AWS_SHARED_CREDENTIALS_FILE"), ".aws/credentials", profile)
    let settings = try section(
      variable("AWS_CONFIG_FILE"), ".aws/config",
      profile == "default" ? profile : "profile \(profile)")
    if let named, secrets == nil, settings == nil {
      throw ObjectError(.noCredentials, "there is no profile \(named)")
    }
    let sources = [secrets ?? [:], settings ?? [:]]
    func setting(_ name: String) -> String? {
      sources.lazy.compactMap { $0[name] }.first { !$0.isEmpty }
    }
    // One source has all parts: a key of one and the secret of another are no pair.
    let pairs =
      [
        (
          variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"),
          variable("AWS_SESSION_TOKEN")
        )
      ]
      + sources.map {
        ($0["aws_access_key_id"], $0["aws_secret_access_key"], $0["aws_session_token"])
      }
    guard let (key, secret, session) = pairs.first(where: { $0.0 != nil || $0.1 != nil }) else {
      throw ObjectError(
        .noCredentials, "neither the environment nor the profile \(profile) has credentials")
    }
    guard let key, let secret,
      let credentials = Credentials(key: key, secret: secret, session: session)
    else { throw ObjectError(.noCredentials, "the credentials are not whole, or are none") }
    let address =
      variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? setting("endpoint_url")
    let endpoint = address.flatMap(Endpoint.init)
    guard endpoint != nil || address == nil else {
      throw ObjectError(.failed, "the endpoint is not http://HOST or https://HOST")
    }
    let region = variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? setting("region")
    guard
      let access = ObjectAccess(
        credentials, region: region ?? Self.usualRegion, endpoint: endpoint)
    else { throw ObjectError(.failed, "the region is none") }
    self = access
  }

  /// What this process is told.
  static func ofThisProcess() throws(ObjectError) -> ObjectAccess {
    let names = [
      "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
      "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL",
      "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE",
    ]
    var environment: [String: String] = [:]
    for name in names { environment[name] = getenv(name).map { String(cString: $0) } }
    return try ObjectAccess(environment: environment)
  }

  private static let largestFile = 1 << 20
}

/// A file of profiles: sections with names in brackets, and in each what it sets.
private struct ProfileFile {
  private(set) var sections: [String: [String: String]] = [:]

  init(_ bytes: [UInt8]) {
    var title: String?
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      // What is set in for the setting above it is none of ours.
      guard let first = line.first, !first.isWhitespace, !"#;".contains(first) else { continue }
      if first == "[" {
        title = line.firstIndex(of: "]").map {
          line[..<$0].dropFirst().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        if let title { sections[title, default: [:]] = sections[title] ?? [:] }
      } else if let title, let sign = line.firstIndex(of: "=") {
        let name = line[..<sign].split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let value = line[sign...].dropFirst()
        sections[title]?[name.lowercased()] = String(
          value.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
      }
    }
  }
}
