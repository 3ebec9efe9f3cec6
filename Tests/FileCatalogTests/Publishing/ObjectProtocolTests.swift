import CatalogStore
import SystemPackage
import TestSupport
import Testing

@testable import Fleet

@Suite("The protocol of object stores")
struct ObjectProtocolTests {
  // MARK: - Hashes and signatures

  @Test(
    "SHA-256 is that of FIPS 180-4",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ])
  func hash(_ text: String, _ digest: String) {
    #expect(SHA256.digest(of: Array(text.utf8)).hexadecimal == digest)
    // However it comes.
    var hash = SHA256()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...200))
      hash.update(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    #expect(hash.finish().hexadecimal == digest)
  }

  @Test("SHA-256 of every length that pads otherwise is that of the system")
  func lengths() throws {
    for count in 50...70 {
      let text = String(repeating: "x", count: count)
      let system = try CommandRunner("openssl").run(["dgst", "-sha256", "-r"], input: text)
      #expect(system.text.hasPrefix(SHA256.digest(of: Array(text.utf8)).hexadecimal), "\(count)")
    }
  }

  @Test(
    "HMAC-SHA-256 is that of RFC 4231",
    arguments: [
      (
        [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
      (
        [UInt8](repeating: 0xaa, count: 131),
        Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func code(_ key: [UInt8], _ text: [UInt8], _ code: String) {
    #expect(SHA256.code(of: text, key: key).hexadecimal == code)
  }

  /// A request that Amazon has published with its signature.
  struct Example: Sendable, CustomTestStringConvertible {
    let method: String
    let path: String
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var hash = RequestSignature.emptyHash
    let signature: String

    var testDescription: String { "\(method) \(path)" }
  }

  @Test(
    "a request is signed as in Amazon's examples",
    arguments: [
      Example(
        method: "GET", path: "/test.txt", headers: [("range", "bytes=0-9")],
        signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
      Example(
        method: "PUT", path: "/test%24file.text",
        headers: [
          ("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ],
        hash: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
        signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
      Example(
        method: "GET", path: "/", query: [("lifecycle", "")],
        signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
      Example(
        method: "GET", path: "/", query: [("prefix", "J"), ("max-keys", "2")],
        signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ])
  func signature(_ example: Example) throws {
    let credentials = try #require(
      ObjectAccess.Credentials(
        key: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"))
    let time: Int64 = 1_369_353_600
    #expect(HTTPDate.basic(time) == "20130524T000000Z")
    let signature = RequestSignature(credentials: credentials, region: "us-east-1", time: time)
    let header = signature.authorization(
      example.method, path: example.path, query: example.query,
      headers: example.headers + [
        ("host", "examplebucket.s3.amazonaws.com"), ("x-amz-date", HTTPDate.basic(time)),
        ("x-amz-content-sha256", example.hash),
      ], hash: example.hash)
    #expect(header.hasSuffix("Signature=\(example.signature)"))
    #expect(!header.contains(credentials.secret))
  }

  @Test(
    "a date is read as servers write it, and nothing else is one",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 as Int64?),
      ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("", nil), ("Sun, 06 Nov 1994", nil),
      ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
      ("Sun, 99 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 99999999999 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 99999999999:49:37 GMT", nil), ("Sun, 06 Nov 1994 8:4 GMT", nil),
    ])
  func dates(_ text: String, _ seconds: Int64?) {
    #expect(HTTPDate.seconds(of: text) == seconds)
  }

  // MARK: - What comes from a server

  private func tokens(_ text: String) throws -> [XMLScanner.Token] {
    var scanner = XMLScanner(Array(text.utf8))
    var tokens: [XMLScanner.Token] = []
    while let token = try scanner.next() { tokens.append(token) }
    return tokens
  }

  @Test("elements, attributes, and what stands for characters are read")
  func xml() throws {
    let text = "<?xml version=\"1.0\"?>\n<a x='<>/' y=\"'\"><b/>1 &lt;&amp;&#x41;&#66; é</a >\n"
    #expect(
      try tokens(text) == [
        .start("a"), .start("b"), .end("b"), .text("1 <&AB é"), .end("a"),
      ])
  }

  @Test(
    "what no server needs is refused",
    arguments: [
      "", " ", "text", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a/>text", "<a><![CDATA[x]]></a>",
      "<!DOCTYPE a><a/>", "<a><!-- x --></a>", "<a>&b;</a>", "<a>&#0;</a>", "<a>&#x110000;</a>",
      "<a>&#xD800;</a>", "<a>&amp</a>", "<a>&aaaaaaaaaaaaaaaaaaaaaa;</a>", "<a x=\"></a>", "<",
      "<a", "<a <b/></a>", "<a><?x?></a>",
      String(repeating: "<a>", count: 100_000),
      "<!DOCTYPE a [<!ENTITY b \"bbbb\">]><a>&b;</a>",
    ])
  func strangeXML(_ text: String) {
    #expect(throws: (any Error).self) { try tokens(text) }
  }

  @Test("a listing has keys with any characters, and says how it goes on")
  func listing() throws {
    let page = try ObjectListing(
      Array(
        """
        <ListBucketResult xmlns="x"><Name>b</Name><IsTruncated>true</IsTruncated>
        <Contents><Key>a&amp;b</Key><Size>1</Size><Owner><ID>Key</ID></Owner></Contents>
        <Contents><Key>../../etc</Key></Contents><CommonPrefixes><Key>no</Key></CommonPrefixes>
        <NextContinuationToken>1&lt;2</NextContinuationToken></ListBucketResult>
        """.utf8))
    #expect(page.keys == ["a&b", "../../etc"] && page.next == "1<2")
    for text in [
      "<html></html>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
      "<ListBucketResult><Contents><Key>a</Key>",
    ] {
      #expect(throws: (any Error).self) { try ObjectListing(Array(text.utf8)) }
    }
    let random = SeededRandom(seed: .random(in: 0 ... .max))
    var generator = random
    let sound = Array(
      "<ListBucketResult><Contents><Key>&amp;</Key></Contents></ListBucketResult>".utf8)
    for _ in 0..<20_000 {
      var bytes = sound
      for _ in 0...generator.below(4) {
        bytes[generator.below(bytes.count)] = UInt8(truncatingIfNeeded: generator.next())
      }
      // Whatever it is, it is read or refused.
      _ = try? ObjectListing(bytes)
    }
  }

  @Test("what a server refuses with is one short line")
  func refusal() {
    let refusal = ObjectRefusal(
      Array(
        "<Error><Code>A\nB</Code><Message>\(String(repeating: "&#10;é", count: 500))</Message></Error>"
          .utf8))
    #expect(refusal.code == "A B" && refusal.message.unicodeScalars.count == 200)
    #expect(!refusal.message.contains("\n"))
    #expect(ObjectRefusal(Array("<html>".utf8)).code == "")
  }

  // MARK: - Addresses and credentials

  @Test(
    "an address is a bucket and a prefix",
    arguments: [
      ("s3://bucket", "bucket", ""), ("s3://bucket/", "bucket", ""),
      ("s3://my.bucket-1/a b/é+%/", "my.bucket-1", "a b/é+%"),
    ])
  func address(_ text: String, _ bucket: String, _ prefix: String) throws {
    let address = try #require(BucketAddress(text))
    #expect(address.bucket == bucket && address.prefix == prefix)
    #expect(BucketAddress(address.description) == address)
    #expect(
      address.text("x") == (prefix.isEmpty ? "s3://\(bucket)/x" : "s3://\(bucket)/\(prefix)/x"))
  }

  @Test(
    "what names no bucket, or another place in it, is no address",
    arguments: [
      "s3://", "s3:///a", "s3://ab", "s3://Bucket", "s3://bucket_1", "s3://-bucket", "s3://b@host",
      "s3://bucket//a", "s3://bucket/a//b", "s3://bucket/a/../b", "s3://bucket/.",
      "s3://bucket/a\nb",
      "s3://bucket/\(String(repeating: "a", count: 900))", "gs://bucket", "s3:/bucket", "bucket",
    ])
  func noAddress(_ text: String) {
    #expect(BucketAddress(text) == nil)
  }

  @Test(
    "a server is a scheme, a machine and a path",
    arguments: [
      ("http://127.0.0.1:9000", true), ("https://[::1]:9000/base/", true), ("ftp://x", false),
      ("https://", false), ("https://user:secret@host", false), ("https://host/?a", false),
      ("host:9000", false), ("https://ho st", false), ("https://host\n", false),
    ])
  func endpoint(_ text: String, _ isOne: Bool) {
    #expect((ObjectAccess.Endpoint(text) != nil) == isOne)
  }

  @Test("Amazon's buckets have machines of their own, and others are paths")
  func places() throws {
    let credentials = try #require(ObjectAccess.Credentials(key: "k", secret: "s"))
    let amazon = try #require(ObjectAccess(credentials, region: "eu-west-1"))
    #expect(amazon.place(of: "lake") == (true, "lake.s3.eu-west-1.amazonaws.com", ""))
    #expect(amazon.place(of: "a.lake") == (true, "s3.eu-west-1.amazonaws.com", "/a.lake"))
    let own = try #require(
      ObjectAccess(credentials, endpoint: ObjectAccess.Endpoint("http://localhost:9000/s3/")))
    #expect(own.place(of: "lake") == (false, "localhost:9000", "/s3/lake"))
    #expect(ObjectAccess(credentials, region: "eu/west") == nil)
  }

  @Test("credentials come from the environment, then from the files, by the profile")
  func credentials() throws {
    try withTemporaryDirectory { directory in
      try directory.write(
        """
        # a comment
        [default]
        aws_access_key_id = one
        aws_secret_access_key=first=secret

        [ other ]
          aws_access_key_id = nested
        aws_access_key_id = two
        aws_secret_access_key = second
        aws_session_token = token
        """, to: "credentials")
      try directory.write(
        """
        [default]
        region = eu-north-1
        s3 =
          addressing_style = path
        [profile other]
        region = eu-south-1
        endpoint_url = https://minio:9000
        [profile half]
        aws_access_key_id = half
        """, to: "config")
      let files = [
        "AWS_SHARED_CREDENTIALS_FILE": directory("credentials").string,
        "AWS_CONFIG_FILE": directory("config").string,
      ]
      func access(_ more: [String: String] = [:]) throws -> ObjectAccess {
        try ObjectAccess(environment: files.merging(more) { $1 })
      }
      func credentials(_ key: String, _ secret: String, _ session: String? = nil)
        -> ObjectAccess.Credentials?
      {
        ObjectAccess.Credentials(key: key, secret: secret, session: session)
      }
      #expect(try access().credentials == credentials("one", "first=secret"))
      #expect(try access().region == "eu-north-1" && access().endpoint == nil)
      let other = try access(["AWS_PROFILE": "other"])
      #expect(other.credentials == credentials("two", "second", "token"))
      #expect(other.region == "eu-south-1" && other.endpoint == .init("https://minio:9000"))
      let environment = try access([
        "AWS_ACCESS_KEY_ID": "three", "AWS_SECRET_ACCESS_KEY": "third", "AWS_REGION": "us-west-2",
        "AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_S3": "http://b", "AWS_SESSION_TOKEN": "",
      ])
      #expect(environment.credentials == credentials("three", "third"))
      #expect(environment.region == "us-west-2" && environment.endpoint == .init("http://b"))
      for variables in [
        ["AWS_PROFILE": "none"], ["AWS_PROFILE": "half"], ["AWS_ACCESS_KEY_ID": "alone"],
        ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "with\nline"],
        ["AWS_ENDPOINT_URL": "minio:9000"], ["AWS_REGION": "a/b"],
        [
          "AWS_SHARED_CREDENTIALS_FILE": directory("none").string,
          "AWS_CONFIG_FILE": directory("none").string,
        ], ["AWS_SHARED_CREDENTIALS_FILE": directory.path.string],
      ] {
        do {
          _ = try access(variables)
          Issue.record("accepted: \(variables)")
        } catch let error as ObjectError {
          #expect(!error.reason.contains("secret") && !error.reason.contains("\n"))
        }
      }
    }
  }

  @Test("what is secret is in no description")
  func secrets() throws {
    let credentials = try #require(
      ObjectAccess.Credentials(key: "key", secret: "geheim", session: "geheimer"))
    let access = try #require(ObjectAccess(credentials))
    let lake = Lake(try #require(BucketAddress("s3://bucket/lake")), access)
    var dumped = "\(credentials) \(access) \(lake) \(String(reflecting: lake))"
    dump(access, to: &dumped)
    #expect(!dumped.contains("geheim"))
    #expect("\(lake)" == "s3://bucket/lake")
  }
}
