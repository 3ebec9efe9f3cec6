import FileSystem
import TestTraits
import Testing

@Suite("Debouncing")
struct DebounceTests {
  private let start = ContinuousClock.now

  private func debounce() -> Debounce<ContinuousClock.Instant> {
    Debounce(delay: .milliseconds(200), limit: .seconds(1))
  }

  @Test("nothing is due before anything happened, or after it was acted on")
  func nothing() {
    var debounce = debounce()
    #expect(debounce.due == nil)
    debounce.note(at: start)
    debounce.clear()
    #expect(debounce.due == nil)
  }

  @Test("each event puts the time off, but not beyond the limit", .feature("JB-24"))
  func putsOff() {
    var debounce = debounce()
    for step in 0..<50 {
      let time = start.advanced(by: .milliseconds(100 * step))
      debounce.note(at: time)
      let quiet = time.advanced(by: .milliseconds(200))
      #expect(debounce.due == min(quiet, start.advanced(by: .seconds(1))))
    }
  }

  @Test("an endless burst is acted on once a second")
  func endless() {
    var debounce = debounce()
    var actions = 0
    for step in 0..<1000 {
      let time = start.advanced(by: .milliseconds(10 * step))
      debounce.note(at: time)
      if let due = debounce.due, due <= time {
        actions += 1
        debounce.clear()
      }
    }
    #expect(actions == 9)
  }
}
