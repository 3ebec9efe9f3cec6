internal import CPlatform
internal import Synchronization
internal import SystemPackage

/// Ends the waiting of threads. Once rung it stays so; closed with its last owner.
final class Alarm: Sendable {
  private let raw: cplatform_alarm
  private let rung = Atomic<Bool>(false)

  init() throws(Errno) {
    var alarm = cplatform_alarm()
    let code = cplatform_alarm_open(&alarm)
    guard code == 0 else { throw Errno(rawValue: code) }
    raw = alarm
  }

  deinit {
    var alarm = raw
    cplatform_alarm_close(&alarm)
  }

  /// Readable once the alarm is rung.
  var descriptor: Int32 { raw.wait_fd }

  var isRung: Bool { rung.load(ordering: .acquiring) }

  func ring() {
    guard !rung.exchange(true, ordering: .acquiringAndReleasing) else { return }
    withUnsafePointer(to: raw) { cplatform_alarm_ring($0) }
  }
}
