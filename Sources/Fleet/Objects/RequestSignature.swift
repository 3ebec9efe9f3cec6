internal import CatalogStore

/// The signature of a request by
/// [Signature Version 4](https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html):
/// the secret does not leave the machine, and what is signed is refused a quarter of an hour later.
struct RequestSignature {
  let credentials: ObjectAccess.Credentials
  let region: String
  /// Seconds since 1970.
  let time: Int64

  private static let service = "s3"

  /// The hash of nothing.
  static let emptyHash = SHA256.digest(of: []).hexadecimal

  /// The header `Authorization`.
  ///
  /// - Parameters:
  ///   - path: that of the address, as it is sent.
  ///   - query: the parameters, not yet encoded.
  ///   - headers: those that are signed, with names in lower case; among them `host` and `x-amz-date`.
  ///   - hash: that of the content.
  func authorization(
    _ method: String, path: String, query: [(name: String, value: String)],
    headers: [(name: String, value: String)], hash: String
  ) -> String {
    let signed = headers.sorted { $0.name < $1.name }
    let names = signed.map(\.name).joined(separator: ";")
    let lines = signed.map { "\($0.name):\($0.value)\n" }.joined()
    let canonical = [method, path, Self.text(of: query), lines, names, hash].joined(separator: "\n")
    let moment = HTTPDate.basic(time)
    let day = String(moment.prefix(8))
    let scope = "\(day)/\(region)/\(Self.service)/aws4_request"
    let digest = SHA256.digest(of: Array(canonical.utf8)).hexadecimal
    var key = Array("AWS4\(credentials.secret)".utf8)
    for part in [day, region, Self.service, "aws4_request"] {
      key = SHA256.code(of: Array(part.utf8), key: key)
    }
    let text = "AWS4-HMAC-SHA256\n\(moment)\n\(scope)\n\(digest)"
    let signature = SHA256.code(of: Array(text.utf8), key: key).hexadecimal
    return "AWS4-HMAC-SHA256 Credential=\(credentials.key)/\(scope), SignedHeaders=\(names), "
      + "Signature=\(signature)"
  }

  /// Parameters as they are signed and sent: encoded, in the order of their names.
  static func text(of query: [(name: String, value: String)]) -> String {
    query.map { (encoded($0.name), encoded($0.value)) }.sorted { $0 < $1 }
      .map { "\($0)=\($1)" }.joined(separator: "&")
  }

  /// A text with all bytes encoded but letters, digits and `-._~`, and those that are to be kept.
  static func encoded(_ text: String, keeping kept: String = "") -> String {
    let plain = Set(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~\(kept)".utf8)
    return text.utf8.map { byte in
      plain.contains(byte)
        ? String(Unicode.Scalar(byte)) : "%" + [byte].hexadecimal.uppercased()
    }.joined()
  }
}
