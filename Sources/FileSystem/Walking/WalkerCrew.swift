internal import CPlatform

/// How many threads walk, by what they do: while they mostly wait for a disk or a network, more of them
/// wait at the same time; while they mostly compute, there are as many as processors.
///
/// Every few milliseconds a thread tells what it has done with its time. When all have, the number is
/// decided anew.
final class WalkerCrew: Sendable {
  /// What a thread is to do next.
  enum Advice: Equatable {
    case goOn
    /// Start so many others. They are counted already.
    case hire(Int)
    /// End. It is counted no more.
    case leave
  }

  private struct State {
    var count: Int
    var wanted: Int
    var most: Int
    var times = WalkerTimes()
  }

  private let monitor: Monitor<State>
  private let rule: CrewRule
  /// Whether the number may change at all.
  let isFlexible: Bool

  /// - Parameters:
  ///   - count: how many threads begin.
  ///   - most: how many there may be.
  init(count: Int, most: Int, processors: Int) {
    monitor = Monitor(State(count: count, wanted: count, most: most))
    rule = CrewRule(processors: processors)
    isFlexible = count < most
  }

  /// Takes note of what one thread has done.
  func advise(after times: WalkerTimes) -> Advice {
    monitor.withLock { state in
      state.times.add(times)
      if state.times.total >= Int64(state.count) * Stopwatch.interval {
        state.wanted = min(state.most, rule.count(after: state.times, with: state.count))
        state.times = WalkerTimes()
      }
      let missing = state.wanted - state.count
      if missing < 0 {
        state.count -= 1
        return .leave
      }
      state.count = state.wanted
      return missing > 0 ? .hire(missing) : .goOn
    }
  }

  /// So many threads have not come, and no others will.
  func miss(_ count: Int) {
    monitor.withLock { state in
      state.count -= count
      state.most = state.count
      state.wanted = min(state.wanted, state.count)
    }
  }

  /// How many threads there are.
  var count: Int { monitor.withLock { $0.count } }
}

/// What threads have done with their time, in nanoseconds.
struct WalkerTimes {
  /// All of it.
  var total: Int64 = 0
  /// Without work, or without a batch to put it in.
  var idle: Int64 = 0
  /// On a processor.
  var running: Int64 = 0
  /// Ready, but others had the processors; `nil` where the system does not tell.
  var queued: Int64? = 0

  mutating func add(_ other: WalkerTimes) {
    total += other.total
    idle += other.idle
    running += other.running
    queued = queued.flatMap { queued in other.queued.map { queued + $0 } }
  }
}

/// How many threads there should be: so many that, while most of them wait, there is more to do than the
/// processors can.
struct CrewRule {
  let processors: Int

  /// How many threads are to be ready for each processor, on average. Answers come in bursts.
  private static let supply = 4.0
  /// Who computes for longer than this share of the time hardly waits.
  private static let computing = 0.8

  func count(after times: WalkerTimes, with count: Int) -> Int {
    let busy = max(0, times.total - times.idle)
    guard busy > 0 else { return count }
    // Where the system does not tell who waits for a processor, it shows when none is left.
    let used = Double(times.running) * Double(count) / Double(times.total)
    if times.queued == nil, count > processors, used > 0.85 * Double(processors) {
      return max(processors, count / 2)
    }
    // To be ready is not to wait: how busy others keep the machine says nothing about the disk.
    let waiting = max(0, busy - times.running - (times.queued ?? 0))
    let share = Double(times.running) / Double(max(1, times.running + waiting))
    let most = Self.supply * Double(processors) / max(share, 0.01)
    let wanted = share > Self.computing ? processors : Int(most)
    if wanted < count { return wanted <= processors || wanted * 2 < count ? wanted : count }
    // More would find nothing to do, or nobody who takes it from them.
    guard times.idle < times.total / 6, wanted * 4 > count * 5 else { return count }
    return min(wanted, count * 2)
  }
}

/// Measures what the calling thread does with its time.
struct Stopwatch {
  /// How often a thread is asked, in nanoseconds.
  static let interval: Int64 = 4_000_000

  private var began = cplatform_steady_time()
  private var before = cplatform_thread_times()
  private var idle: Int64 = 0

  /// What has been done since the last time; `nil` when that is too short ago.
  mutating func lap() -> WalkerTimes? {
    let now = cplatform_steady_time()
    guard now - began >= Self.interval else { return nil }
    let times = cplatform_thread_times()
    defer { (began, before, idle) = (now, times, 0) }
    let isQueueKnown = times.queued >= 0 && before.queued >= 0
    return WalkerTimes(
      total: now - began, idle: idle, running: times.running - before.running,
      queued: isQueueKnown ? times.queued - before.queued : nil)
  }

  /// Runs what waits for others.
  mutating func idling<Result>(_ body: () -> Result) -> Result {
    let start = cplatform_steady_time()
    defer { idle += cplatform_steady_time() - start }
    return body()
  }
}
