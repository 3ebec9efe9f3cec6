internal import CReportPage
internal import Console
internal import FileSystem
internal import SystemPackage

/// A page for a browser that shows reports as tables and pictures.
///
/// The page is one file that loads nothing. Its tables and charts are markup, so that they are there
/// without a script, too; the script adds the map of directories, and lets tables be sorted. A file's
/// name can say whatever it likes: see ``Markup``.
struct ReportPage: Sendable {
  /// What everything together comes to.
  struct Sums: Sendable {
    var files: Int64 = 0
    var directories: Int64 = 0
    var size: Int64 = 0
    var allocated: Int64 = 0

    mutating func add(_ other: Sums) {
      files.add(clamped: other.files)
      directories.add(clamped: other.directories)
      size.add(clamped: other.size)
      allocated.add(clamped: other.allocated)
    }
  }

  /// A report that is not on the page, and why.
  struct Omission: Sendable {
    var report: Report
    var reason: String
  }

  /// The directory that the page is about; `nil` for all roots.
  var directory: FilePath?
  /// What the page is called by.
  var subject: [UInt8]
  /// Seconds since 1970.
  var made: Int64
  var sums: Sums
  /// The roots, or the directory.
  var tops: ReportPageTable
  var map: ReportPageMap
  var history: ReportPageHistory
  var reports: [(report: Report, table: ReportPageTable)]
  var omissions: [Omission]

  /// The page as UTF-8.
  ///
  /// - Parameter advice: how to get all rows of a report.
  func html(_ advice: (ReportRequest) -> String?) -> [UInt8] {
    let parts: [(place: String, bytes: [UInt8])] = [
      ("<!--subject-->", ("\(ReadableText(subject))" as Markup).bytes),
      ("<!--style-->", Self.bytes(creportpage_css())),
      ("<!--body-->", body(advice).bytes),
      ("<!--directories-->", map.json),
      ("<!--script-->", Self.bytes(creportpage_js())),
    ]
    var rest = Self.bytes(creportpage_html())[...]
    var page: [UInt8] = []
    for part in parts {
      let place = Array(part.place.utf8)
      guard let found = rest.indices.first(where: { rest[$0...].starts(with: place) }) else {
        continue
      }
      page += rest[..<found]
      page += part.bytes
      rest = rest[(found + place.count)...]
    }
    return page + rest
  }

  private static func bytes(_ part: creportpage_part) -> [UInt8] {
    Array(UnsafeBufferPointer(start: part.bytes, count: part.length))
  }
}

// MARK: - What stands on the page

extension ReportPage {
  private func body(_ advice: (ReportRequest) -> String?) -> Markup {
    var body = header
    body += contents
    body += "<main>\n"
    body += tops.section(whole: sums.allocated)
    body += map.section
    body += history.section
    body += "<div class=reports>\n"
    for (report, table) in reports {
      let request = ReportRequest(report, in: directory, limit: Int(clamping: table.rowCount))
      body += table.section(
        whole: sums.allocated, advice: table.isCut ? advice(request) : nil)
    }
    body += "</div>\n"
    body += notes(advice)
    body += "</main>\n"
    return body
  }

  private var header: Markup {
    let zone = Query.TimeZone.current.secondsFromUTC(unixSeconds: made)
    return """
      <header>
      <p class=kicker>Disk usage</p>
      <h1>\(ReadableText(subject))</h1>
      <dl>
      <div><dt>On disk<dd>\(ByteCountText(sums.allocated))</div>
      <div><dt>Size<dd>\(ByteCountText(sums.size))</div>
      <div><dt>Files<dd>\(CountText(sums.files))</div>
      <div><dt>Directories<dd>\(CountText(sums.directories))</div>
      </dl>
      <p class=about>As of \(DateText(nanoseconds: made &* 1_000_000_000)) \(Self.offset(zone)). \
      On disk is what files take, each once however many names it has; shares are of that. \
      Size is how long files are. K, M, G are powers of 1024, rounded up. \
      <span class=narrow>A wider window shows more columns.</span></p>
      </header>

      """
  }

  /// A distance from UTC, such as `+01:00`.
  private static func offset(_ seconds: Int64) -> String {
    let minutes = seconds.magnitude / 60
    func padded(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return (seconds < 0 ? "−" : "+") + "\(padded(minutes / 60)):\(padded(minutes % 60))"
  }

  /// Where everything is, and what is empty.
  private var contents: Markup {
    var list: Markup = """
      <nav aria-label="On this page"><details id=contents open><summary>On this page</summary><ul>

      """
    func add(_ id: String, _ title: String, _ note: String) {
      list += "<li><a href=\"#\(id)\">\(title) <small>\(note)</small></a>\n"
    }
    add(tops.name, tops.title, "\(CountText(tops.rowCount))")
    if !map.isEmpty { add(ReportPageMap.id, ReportPageMap.title, "") }
    add(ReportPageHistory.id, ReportPageHistory.title, history.isEmpty ? "none" : "")
    for (_, table) in reports {
      add(table.name, table.title, table.rowCount == 0 ? "none" : "\(CountText(table.rowCount))")
    }
    list += "</ul></details></nav>\n"
    return list
  }

  /// What is not on the page, and what holds for all of it.
  private func notes(_ advice: (ReportRequest) -> String?) -> Markup {
    var notes: Markup = "<footer>\n<h2>Not on this page</h2>\n<ul>\n"
    for omission in omissions {
      notes += "<li><b>\(omission.report.name)</b>: \(omission.reason)"
      if let advice = advice(ReportRequest(omission.report, in: directory)) {
        notes += " It is in <code>\(advice)</code>"
      }
      notes += "\n"
    }
    notes += """
      </ul>
      <p>Every report is an SQL view of the catalog, too, by the name that its address ends in here.</p>
      </footer>

      """
    return notes
  }
}
