import FileSystem
import SystemPackage
import TestSupport
import Testing

@Suite("Programs that are run to their end", .timeLimit(.minutes(20)))
struct ChildProcessTests {
  private static let stubborn = ["sh", "-c", "trap '' TERM; while :; do sleep 1; done"]

  @Test(
    "that take too long are ended, whatever they say to that",
    arguments: [ProcessGroup.own, .shared])
  func late(_ group: ProcessGroup) {
    let process = ChildProcess(Self.stubborn, group: group)
    #expect(throws: ChildProcess.Interruption.late) {
      try process.run(within: .milliseconds(300)) { _, _ in }
    }
  }

  @Test("are ended when nobody wants to know any more", arguments: [ProcessGroup.own, .shared])
  func cancelled(_ group: ProcessGroup) {
    var questions = 0
    let process = ChildProcess(Self.stubborn, group: group)
    func isCancelled() -> Bool {
      questions += 1
      return questions > 2
    }
    #expect(throws: ChildProcess.Interruption.cancelled) {
      try process.run(within: .seconds(200), isCancelled: isCancelled) { _, _ in }
    }
  }

  @Test("read the files that they get open, and end with what they end with")
  func files() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    try directory.write("content", to: "file")
    let file = try FileDescriptor.open(directory("file"), .readOnly)
    defer { try? file.close() }
    var output: [UInt8] = []
    let process = ChildProcess(
      ["sh", "-c", "cat /dev/fd/3; exit 7"], files: [file], group: .shared)
    let status = try process.run(within: .seconds(200)) { if $0 == .output { output += $1 } }
    #expect(status == 7 && output == Array("content".utf8))
  }
}
