/// Numbers in the text of [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/).
struct MetricsText {
  enum Kind: String { case gauge, counter, histogram, info }

  static let media = "application/openmetrics-text; version=1.0.0; charset=utf-8"

  private var text = ""

  /// Begins a family of samples.
  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    text += "# TYPE \(name) \(kind.rawValue)\n# HELP \(name) \(Self.escaped(help))\n"
  }

  mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Double) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",") + "}"
    }
    let isWhole = value == value.rounded() && abs(value) < 9e15
    text += " \(isWhole ? "\(Int64(value))" : "\(value)")\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  func finished() -> [UInt8] { Array((text + "# EOF\n").utf8) }
}
