internal import FileSystem
internal import SystemPackage

/// One item that an operation needs, and for what.
struct AccessRequest: Sendable {
  enum Intent: Sendable {
    /// Its content is read; it must be there.
    case reading
    /// It is replaced, or made.
    case writing
    /// It is replaced; it must be there.
    case updating
    /// Its name goes away; it must be there.
    case removing
    /// All of it belongs to the caller for a while, its name too if it is free.
    case claiming
  }

  var path: FilePath
  var intent: Intent
  var links: Place.Links

  /// Whether the item is a package, which a killed process may have put aside.
  var form: Form

  enum Form: Sendable {
    case any
    case package
  }

  init(
    _ intent: Intent, _ path: FilePath, links: Place.Links = .followed, form: Form = .any
  ) {
    self.path = path
    self.intent = intent
    self.links = links
    self.form = form
  }

  var mode: LockMode { intent == .reading ? .shared : .exclusive }

  var mustExist: Bool {
    switch intent {
    case .reading, .updating, .removing: true
    case .writing, .claiming: false
    }
  }
}

/// An item as it was found when its locks were taken.
struct HeldItem: Sendable {
  var request: AccessRequest
  var place: Place
  /// What has the name, locked; `nil` if the name is free, or is that of something that is not
  /// locked: a link, a pipe, or a file that this process may remove but not open.
  var file: OpenFile?
  /// The values of what has the name; `nil` if it is free.
  var status: FileStatus?

  var kind: EntryKind? { status.flatMap { EntryKind(mode: $0.mode) } }
}
