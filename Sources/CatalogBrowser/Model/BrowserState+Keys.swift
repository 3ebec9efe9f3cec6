internal import FileCatalog
internal import SystemPackage

extension BrowserState {
  mutating func take(_ key: Key) -> [BrowserEffect] {
    guard !layout.isTooSmall else {
      return Binding.of(key)?.command == .quit ? [.quit] : []
    }
    // What was said has been read by now.
    message = nil
    if dialog != nil { return answer(key) }
    if search?.isTyping == true { return type(key) }
    if key == .escape { return escape() }
    guard let binding = Binding.of(key) else { return [] }
    if binding.acts, access == .readOnly {
      message = Message("read-only: nothing can be changed here", .fault)
      return []
    }
    return perform(binding.command)
  }

  private mutating func perform(_ command: BrowserCommand) -> [BrowserEffect] {
    switch command {
    case .down: move(by: 1)
    case .up: move(by: -1)
    case .pageDown: move(by: pageHeight)
    case .pageUp: move(by: -pageHeight)
    case .halfDown: move(by: pageHeight / 2)
    case .halfUp: move(by: -pageHeight / 2)
    case .first: move(to: 0)
    case .last: move(to: (listing.count ?? 1) - 1)
    case .open: return open()
    case .leave: return leave()
    case .showRoots: return go(to: nil, selecting: home)
    case .search:
      if search == nil { search = SearchField() } else { search?.isTyping = true }
    case .sort(let key): return sort(by: key)
    case .directoriesFirst:
      question.directories = question.directories == .mixed ? .first : .mixed
      return showAgain()
    case .hidden:
      question.showsHidden.toggle()
      message = Message(
        question.showsHidden ? "hidden entries are shown" : "without hidden entries")
      return showAgain()
    case .apparentSize:
      question.sizes = question.sizes == .onDisk ? .apparent : .onDisk
      message = Message(
        question.sizes == .onDisk ? "sizes on the disk" : "sizes of the content")
      if question.key == .size { return showAgain() }
    case .bars: columns.bars.toggle()
    case .counts: columns.files.toggle()
    case .dates:
      switch columns.dates {
      case .age: columns.dates = .date
      case .date: columns.dates = .none
      case .none: columns.dates = .age
      }
    case .types: columns.types.toggle()
    case .owners: columns.owners.toggle()
    case .details: details = details == nil ? Details() : nil
    case .changes: return [.listScans]
    case .mark: mark()
    case .unmarkAll: marks = [:]
    case .trash: askToTrash()
    case .openInProgram: return listing.chosen.map { [.openInProgram($0.path)] } ?? []
    case .shell: return here.map { [.runShell(in: $0)] } ?? []
    case .copyPath: return copyPath()
    case .rescan: return rescan()
    case .help: dialog = .help(top: 0)
    case .redraw: return [.redraw]
    case .quit: return [.quit]
    }
    return []
  }

  // MARK: - Moving

  private var pageHeight: Int { max(1, layout.table.rows.count - 1) }

  mutating func move(by rows: Int) { move(to: listing.selected + rows) }

  mutating func move(to row: Int) {
    listing.selected = row
    listing.settle(height: layout.table.rows.count)
  }

  /// Into a directory; of what is none, the details.
  mutating func open() -> [BrowserEffect] {
    guard let row = listing.chosen, !listing.isStale else { return [] }
    if row.isDirectory { return go(to: row.path) }
    if search?.isShown == true {
      return go(to: row.path.removingLastComponent(), selecting: row.path)
    }
    if details == nil { details = Details() }
    return []
  }

  private mutating func leave() -> [BrowserEffect] {
    if search != nil { return closeSearch() }
    guard let home else { return [] }
    let above = home.removingLastComponent()
    // Above a root are the roots: that it is one is known only to who answers.
    return go(to: above == home ? nil : above, selecting: home)
  }

  private mutating func go(to path: FilePath?, selecting: FilePath? = nil) -> [BrowserEffect] {
    search = nil
    home = path
    return show(selecting: selecting)
  }

  private mutating func escape() -> [BrowserEffect] {
    if search != nil { return closeSearch() }
    if scanning != nil { return [.stopRescan] }
    details = nil
    return []
  }

  // MARK: - Order

  mutating func sort(by key: SortKey) -> [BrowserEffect] {
    if question.key == key {
      question.direction = question.direction == .ascending ? .descending : .ascending
    } else {
      question.key = key
      question.direction = key.usual
    }
    return show()
  }

  /// The same table in another way, with the same entry chosen.
  private mutating func showAgain() -> [BrowserEffect] { show(selecting: listing.chosen?.path) }

  // MARK: - Searching

  private mutating func type(_ key: Key) -> [BrowserEffect] {
    switch key {
    case .character(let scalar): search?.text.unicodeScalars.append(scalar)
    case .backspace, .delete:
      guard search?.text.isEmpty == false else { return closeSearch() }
      search?.text.removeLast()
    case .control("u"): search?.text = ""
    case .tab: search?.isHere.toggle()
    case .enter:
      guard search?.isShown == true else { return closeSearch() }
      search?.isTyping = false
      return []
    case .escape: return closeSearch()
    case .down, .up, .pageDown, .pageUp:
      return Binding.of(key).map { perform($0.command) } ?? []
    default: return []
    }
    return find()
  }

  /// Looks for what is typed by now.
  private mutating func find() -> [BrowserEffect] {
    guard let text = search?.text else { return [] }
    search?.fault = nil
    guard text.contains(where: { $0 != " " }) else {
      let wasShown = search?.isShown == true
      search?.query = nil
      return wasShown ? show() : []
    }
    do throws(QueryError) {
      search?.query = try Query(parsing: text)
      return show()
    } catch {
      // Most are on the way to a query: what was found before stays.
      search?.fault = "\(error)"
      return []
    }
  }

  private mutating func closeSearch() -> [BrowserEffect] {
    let wasShown = search?.isShown == true
    search = nil
    return wasShown ? show() : []
  }

  // MARK: - Mouse

  /// Two presses within so many milliseconds are a double click.
  private static let doubleClick: Int64 = 400
  private static let wheelStep = 3

  mutating func take(
    _ action: MouseAction, at point: ScreenPoint, _ milliseconds: Int64
  ) -> [BrowserEffect] {
    guard !layout.isTooSmall else { return [] }
    if dialog != nil {
      switch action {
      case .wheelUp: return answer(.up)
      case .wheelDown: return answer(.down)
      case .press: return []
      }
    }
    switch action {
    case .wheelUp: move(by: -Self.wheelStep)
    case .wheelDown: move(by: Self.wheelStep)
    case .press:
      message = nil
      let area = layout.table
      guard area.rows.contains(point.row), area.columns.contains(point.column) else { return [] }
      let row = listing.top + point.row - area.rows.lowerBound
      guard row < listing.count ?? 0 else { return [] }
      let isDouble =
        lastPress.map { last in
          last.point.row == point.row && milliseconds - last.milliseconds <= Self.doubleClick
        } ?? false
      lastPress = isDouble ? nil : (point, milliseconds)
      move(to: row)
      if isDouble { return open() }
    }
    return []
  }
}
