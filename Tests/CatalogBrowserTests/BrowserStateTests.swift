import CatalogBrowser
import FileCatalog
import FileSystem
import SystemPackage
import Testing

/// A browser without a terminal and a catalog: what is asked for is answered from a list of rows.
private struct Stage {
  var state: BrowserState
  /// What has been asked for, but for what is answered here.
  var asked: [BrowserEffect] = []
  var rows: [BrowserRow]
  /// How many rows have been read at once, at most.
  var mostRead = 0

  init(
    _ rows: [BrowserRow], size: ScreenSize = ScreenSize(rows: 24, columns: 80),
    access: BrowserState.Access = .acting
  ) {
    self.rows = rows
    state = BrowserState("/r", size: size, access: access, now: 1_000_000_000)
    answer(state.begin())
  }

  mutating func take(_ event: BrowserEvent) { answer(state.take(event)) }

  mutating func press(_ keys: Key...) { for key in keys { take(.key(key)) } }

  mutating func type(_ text: String) {
    for scalar in text.unicodeScalars { press(.character(scalar)) }
  }

  private mutating func answer(_ effects: [BrowserEffect]) {
    for effect in effects {
      switch effect {
      case .show(let question, let path, let generation):
        asked.append(effect)
        let ids = rows.map(\.id)
        take(
          .opened(
            OpenedTable(
              generation: generation, scope: question.scope, count: rows.count,
              selected: path.flatMap { path in rows.firstIndex { $0.path == path } },
              whole: Listing.Whole(), lastScan: 1
            ) { ids.firstIndex(of: $0) }))
      case .read(let range, let generation):
        mostRead = max(mostRead, range.count)
        take(.read(Array(rows[range]), from: range.lowerBound, generation: generation))
      default: asked.append(effect)
      }
    }
  }

  var chosen: String? { state.listing.chosen?.path.lastComponent?.string }
  var lines: [String] { Screen.grid(of: state).lines }
}

private func row(_ number: Int, _ name: String? = nil, _ kind: EntryKind = .file) -> BrowserRow {
  BrowserRow(
    id: EntryID(rawValue: Int64(number + 1)), path: FilePath("/r/\(name ?? "file\(number)")"),
    kind: kind,
    size: Int64(number) * 10, allocated: Int64(number) * 4096, files: kind == .directory ? 7 : nil,
    modified: 900_000_000 * 1_000_000_000, type: "public.data", owner: "me", mode: 0o644,
    isBroken: false, firstSeen: 1, lastChanged: 1)
}

private func rows(_ count: Int) -> [BrowserRow] { (0..<count).map { row($0) } }

@Suite("A browser without a terminal")
struct BrowserStateTests {
  @Test("of a million rows only those near the screen are ever read and kept")
  func longTable() {
    var stage = Stage(rows(1_000_000))
    stage.press(.end)
    #expect(stage.chosen == "file999999")
    stage.press(.pageUp, .pageUp, .up)
    #expect(stage.chosen == "file999960")
    stage.press(.home)
    for _ in 0..<500 { stage.press(.down) }
    #expect(stage.chosen == "file500")
    #expect(stage.state.listing.rows.count <= 60)
    #expect(stage.mostRead <= 60)
    #expect(stage.lines.contains { $0.contains("501/1,000,000") })
  }

  @Test("the chosen row is always on the screen, whatever is pressed and however large it is")
  func settled() {
    var stage = Stage(rows(300))
    let keys: [Key] = [
      .down, .up, .pageDown, .pageUp, .home, .end, .control("d"), .control("u"), .character("i"),
    ]
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = seed
    for _ in 0..<2000 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let choice = Int(random >> 33)
      if choice % 11 == 10 {
        stage.take(
          .resized(ScreenSize(rows: choice / 11 % 60 + 1, columns: choice / 700 % 200 + 1)))
      } else {
        stage.press(keys[choice % keys.count])
      }
      let listing = stage.state.listing
      let height = max(1, stage.state.layout.table.rows.count)
      #expect(
        (listing.top..<listing.top + height).contains(listing.selected), "seed \(seed)")
      #expect(listing.chosen != nil, "seed \(seed)")
      _ = stage.lines
    }
  }

  @Test("answers to questions of before are dropped")
  func generations() {
    var stage = Stage(rows(5))
    let before = stage.state.listing.generation
    stage.press(.character("n"))
    stage.take(.read([row(99)], from: 0, generation: before))
    stage.take(.failed(Message("old", .fault), generation: before))
    #expect(stage.chosen == "file0")
    #expect(stage.state.message == nil)
  }

  @Test("a key sorts by its column, and the other way round when it is pressed again")
  func sorting() {
    var stage = Stage(rows(5))
    #expect(stage.state.question.request.order.description == "-full_allocated")
    let orders: [(Key, String)] = [
      (.character("s"), "full_allocated"), (.character("n"), "name"), (.character("n"), "-name"),
      (.character("C"), "-total_files"), (.character("M"), "-modified"), (.character("T"), "type"),
    ]
    for (key, order) in orders {
      stage.press(key)
      #expect(stage.state.question.request.order.description == order)
    }
    stage.press(.character("t"), .character("a"), .character("s"))
    #expect(stage.state.question.request.order.description == "directories-first,-full_size")
  }

  @Test(
    "what is typed is a query; a mistake leaves what was found, and an empty text the directory")
  func searching() {
    var stage = Stage(rows(5))
    stage.press(.character("/"))
    stage.type("ab")
    #expect(stage.state.question.scope == .matches(Query(.name(.substring("ab"))), below: nil))
    stage.type(" size")
    let found = stage.state.listing.generation
    stage.type(":")
    #expect(stage.state.search?.fault != nil)
    #expect(stage.state.listing.generation == found)
    stage.press(.control("u"))
    #expect(stage.state.question.scope == .children(of: "/r"))
    stage.type("x")
    stage.press(.tab)
    #expect(stage.state.question.scope == .matches(Query(.name(.substring("x"))), below: "/r"))
    stage.press(.escape)
    #expect(stage.state.search == nil)
    #expect(stage.state.question.scope == .children(of: "/r"))
  }

  @Test("letters are text while one types, and keys again afterwards")
  func typing() {
    var stage = Stage(rows(5))
    stage.press(.character("/"))
    stage.type("dq")
    #expect(stage.state.search?.text == "dq")
    #expect(stage.state.dialog == nil)
    stage.press(.enter, .down, .character("d"))
    #expect(stage.state.dialog == .trash([row(1)]))
  }

  @Test("nothing goes to the trash without a plain yes", arguments: ["n", "d", " ", "x", "q"])
  func trash(key: Unicode.Scalar) {
    var stage = Stage(rows(5))
    stage.asked = []
    stage.press(.character("d"), .character(key))
    #expect(stage.asked.isEmpty)
    #expect(stage.state.dialog == nil)
    stage.press(.character("d"), .enter)
    #expect(stage.asked.isEmpty)
    stage.press(.character(" "), .character(" "), .character("d"), .character("y"))
    #expect(stage.asked == [.trash(["/r/file0", "/r/file1"])])
  }

  @Test("what is in a directory that is marked is moved once, with it")
  func nestedMarks() {
    var stage = Stage([row(0, "a", .directory), row(1, "a-b"), row(2, "a/c"), row(3, "d")])
    stage.asked = []
    for _ in 0..<4 { stage.press(.character(" ")) }
    stage.press(.character("d"), .character("y"))
    #expect(stage.asked == [.trash(["/r/a", "/r/a-b", "/r/d"])])
  }

  @Test("a root is not asked about, marked or not")
  func roots() {
    var root = row(0)
    root.isRoot = true
    var stage = Stage([root, row(1)])
    stage.asked = []
    stage.press(.character("d"))
    #expect(stage.state.message?.tone == .fault)
    stage.press(.character(" "), .character(" "), .character("d"), .character("y"))
    #expect(stage.state.dialog == nil)
    #expect(!stage.asked.contains { if case .trash = $0 { true } else { false } })
  }

  @Test("read-only, nothing is begun that changes anything")
  func readOnly() {
    var stage = Stage(rows(5), access: .readOnly)
    stage.asked = []
    for binding in Binding.all where binding.acts {
      for key in binding.keys {
        stage.press(key)
        #expect(stage.state.message?.tone == .fault)
        #expect(stage.state.dialog == nil)
      }
    }
    #expect(stage.asked.isEmpty)
    stage.press(.character("y"))
    #expect(stage.asked == [.copy(Array("/r/file0".utf8))])
  }

  @Test("every command has a key, and no key two")
  func bindings() {
    let keys = Binding.all.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
    #expect(Set(Binding.all.map(\.command)).count == Binding.all.count)
  }

  @Test("what changes in the catalog leaves the chosen entry chosen, at its place on the screen")
  func changed() {
    var stage = Stage(rows(100))
    for _ in 0..<50 { stage.press(.down) }
    let place = stage.state.listing.selected - stage.state.listing.top
    stage.rows.insert(row(500, "new"), at: 0)
    let ids = stage.rows.map(\.id)
    stage.take(
      .changed(
        ChangedTable(
          generation: stage.state.listing.generation, count: 101, whole: Listing.Whole()
        ) { ids.firstIndex(of: $0) }))
    #expect(stage.chosen == "file50")
    #expect(stage.state.listing.selected == 51)
    #expect(stage.state.listing.selected - stage.state.listing.top == place)
  }

  @Test("two presses of the mouse at one row open it, if they come soon after each other")
  func doubleClick() {
    var stage = Stage([row(0), row(1, "dir", .directory), row(2)])
    let point = ScreenPoint(row: 3, column: 60)
    stage.asked = []
    stage.take(.mouse(.press, at: point, milliseconds: 0))
    stage.take(.mouse(.press, at: point, milliseconds: 900))
    #expect(stage.asked.isEmpty)
    #expect(stage.chosen == "dir")
    stage.take(.mouse(.press, at: point, milliseconds: 1200))
    #expect(stage.state.home == "/r/dir")
    stage.take(.mouse(.press, at: ScreenPoint(row: 20, column: 1), milliseconds: 2000))
    #expect(stage.state.listing.selected == 0, "below the last row is nothing")
  }

  @Test("a screen of any size is drawn", arguments: [1, 2, 3, 7, 8, 24, 100])
  func sizes(height: Int) {
    for width in [1, 2, 10, 39, 40, 41, 60, 80, 109, 110, 200, 300] {
      var stage = Stage(rows(50), size: ScreenSize(rows: height, columns: width))
      for key in ["i", "?", "x", "d", "n", "/", "z"] as [Unicode.Scalar] {
        stage.press(.character(key))
        #expect(stage.lines.count == height)
      }
    }
  }

  private static let ageWords: [(Int64, String)] = [
    (0, "0s"), (59, "59s"), (60, "1m"), (3600, "1h"), (169_200, "47h"), (259_200, "3d"),
    (8_640_000, "3mo"), (69_120_000, "2y"), (-5, "0s"),
  ]

  @Test("ages are short words", arguments: ageWords)
  func ages(seconds: Int64, text: String) {
    var stage = Stage([row(0)])
    stage.rows[0].modified = (1_000_000_000 - seconds) * 1_000_000_000
    stage.press(.character("M"))
    #expect(stage.lines[2].contains(" \(text) "))
  }
}
