import Foundation
import Testing

@testable import Console

@Suite("Sinks, terminals and progress")
struct DeviceTests {
  @Test("More bytes than the buffer holds arrive in order")
  func largeOutput() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).txt")
    try Data().write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let file = try FileHandle(forWritingTo: url)
    var sink = ByteSink(descriptor: file.fileDescriptor)
    var expected = Data()
    for number in 0..<100_000 {
      let line = "line \(number)\n"
      expected.append(contentsOf: Array(line.utf8))
      try sink.write(line.utf8)
    }
    try sink.flush()
    try file.close()
    #expect(try Data(contentsOf: url) == expected)
  }

  @Test("A reader that has gone is told apart from a failure")
  func closedPipe() throws {
    StandardStream.reportClosedPipes()
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    var sink = ByteSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    try sink.write("x".utf8)
    do throws(OutputError) {
      try sink.flush()
      Issue.record("a closed pipe took bytes")
    } catch {
      #expect(error == .readerGone)
    }
    // The bytes are not tried again.
    try sink.flush()
  }

  @Test("A failure carries the error number of the system and says what it means")
  func failure() {
    var sink = ByteSink(descriptor: -1)
    do throws(OutputError) {
      try sink.write("x".utf8)
      try sink.flush()
      Issue.record("no descriptor took bytes")
    } catch {
      #expect(error == .failed(errno: EBADF))
      #expect(error.description == "cannot write the output: Bad file descriptor")
    }
  }

  @Test("A pipe is no terminal: no width, and colour only when it is asked for")
  func pipeIsNoTerminal() {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    let environment = ["COLUMNS": "100", "TERM": "xterm"]
    let auto = Terminal(descriptor: descriptor) { environment[$0] }
    #expect(auto == .absent)
    let always = Terminal(descriptor: descriptor, color: .always) { environment[$0] }
    #expect(always.style == .ansi)
    #expect(!always.isTerminal)
  }

  @Test("The environment can switch colour off, the user can switch it on again")
  func colorPolicy() {
    let noColor = ["NO_COLOR": "1"]
    #expect(ColorPolicy.auto.style(on: .ansi) { _ in nil } == .ansi)
    #expect(ColorPolicy.auto.style(on: .ansi) { noColor[$0] } == .plain)
    #expect(ColorPolicy.auto.style(on: .ansi) { _ in "" } == .ansi)
    #expect(ColorPolicy.auto.style(on: .none) { _ in nil } == .plain)
    #expect(ColorPolicy.always.style(on: .none) { noColor[$0] } == .ansi)
    #expect(ColorPolicy.never.style(on: .ansi) { _ in nil } == .plain)
  }

  @Test("Progress is drawn at most ten times a second and erased at the end")
  func progress() {
    var progress = ProgressLine(sink: .memory, terminal: Terminal(width: 40))
    let start = ContinuousClock.now
    progress.show(["1 entry", "/a"], at: start)
    progress.show(["2 entries", "/b"], at: start.advanced(by: .milliseconds(99)))
    progress.show(["3 entries", "/c"], at: start.advanced(by: .milliseconds(100)))
    progress.clear()
    progress.clear()
    #expect(
      progress.sink.text == "\r1 entry · /a\u{1b}[K\r3 entries · /c\u{1b}[K\r\u{1b}[K")
  }

  @Test("Progress shows nothing without a terminal")
  func noProgress() {
    for terminal in [Terminal.absent, Terminal(width: 80, control: .none)] {
      var progress = ProgressLine(sink: .memory, terminal: terminal)
      progress.show(["1 entry"])
      progress.clear()
      #expect(progress.sink.bytes.isEmpty)
    }
  }

  @Test("Progress shortens its last segment, and leaves it out when there is no room")
  func progressFits() {
    let segments: [DisplayText] = ["123,456 entries", "310,000/s", "/usr/share/doc/\u{1b}x/README"]
    #expect(
      ProgressLine.line(segments, width: 50).string
        == "123,456 entries · 310,000/s · /usr/share…}x/README")
    #expect(ProgressLine.line(segments, width: 30).string == "123,456 entries · 310,000/s")
    #expect(ProgressLine.line(segments, width: 10).string == "123,456 e…")
    for width in 0...60 { #expect(ProgressLine.line(segments, width: width).width <= width) }
  }
}
