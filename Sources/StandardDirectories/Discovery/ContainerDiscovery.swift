public import SystemPackage

/// Finds containers: those of Flatpak and snap applications, of macOS, of iOS simulators and
/// devices, of unpacked device backups, and homes.
///
/// ```swift
/// let report = ContainerDiscovery().search("/home/me")
/// ```
public struct ContainerDiscovery: Sendable {
  private let files: any FileReader

  /// A discovery on the disks of this machine.
  public init() {
    files = LocalFiles()
  }

  /// A discovery that reads by other means, such as from an archive.
  public init(_ files: some FileReader) {
    self.files = files
  }

  /// The containers in a directory that is a home, a device's data or disk, or a backup.
  ///
  /// Sub-directories are looked for only where such containers are; it is no walk.
  /// - Parameters:
  ///   - base: The directory. If it is itself a home, that comes first.
  ///   - environment: What the directories of the home are called, if `base` is the home of it.
  public func search(_ base: FilePath, environment: HostEnvironment? = nil) -> Report {
    var search = Search(files: files)
    if let home = search.home(at: base, environment: environment) {
      search.report.containers.append(home)
    }
    for shelf in ContainerShelf.home { search.look(at: shelf, in: base) }
    search.lookForDevice(in: base)
    let simulators = base.pushing(ContainerShelf.simulators)
    for device in search.directories(in: simulators) {
      search.lookForDevice(in: simulators.appending(device))
    }
    search.lookForBackup(in: base)
    return search.report
  }

  /// The homes in a directory such as `/home` or `/Users`.
  public func homes(in directory: FilePath) -> Report {
    var search = Search(files: files)
    for name in search.directories(in: directory) {
      if let home = search.home(at: directory.appending(name), environment: nil) {
        search.report.containers.append(home)
      }
    }
    return search.report
  }
}

/// One search and what it has found so far.
private struct Search {
  let files: any ContainerDiscovery.FileReader
  var report = ContainerDiscovery.Report()

  // MARK: Homes

  /// The home that a directory is, if its contents say so.
  func home(at path: FilePath, environment: HostEnvironment?) -> Container? {
    let style = [Container.Style.appleHome, .xdg].first { style in
      style.signsOfHome.allSatisfy { signs in
        signs.contains { files.isDirectory(path.pushing($0)) }
      }
    }
    guard let style else { return nil }
    var environment = environment ?? HostEnvironment(variables: [:])
    if (try? environment.home) != path {
      environment = HostEnvironment(variables: ["HOME": path])
    }
    if style == .xdg, environment.userDirectories == nil,
      let file = try? XDGDirectories(environment).userDirectoriesFile
    {
      environment.userDirectories = text(of: file)
    }
    return try? Container(home: style, of: environment)
  }

  // MARK: Containers of applications

  mutating func look(at shelf: ContainerShelf, in base: FilePath) {
    let directory = base.pushing(shelf.path)
    for name in directories(in: directory) {
      let child = directory.appending(name)
      var root = child
      switch shelf.shape {
      case .itself: break
      case .data: root.append("Data")
      case .snap where !isSnap(child): continue
      case .snap: break
      }
      guard files.isDirectory(root) else { continue }
      report.containers.append(
        Container(shelf.style, root: root, identifier: identifier(of: child, named: name)))
    }
  }

  mutating func lookForDevice(in base: FilePath) {
    let first = report.containers.count
    for data in ContainerShelf.deviceData where isPlain(data, in: base) {
      for shelf in ContainerShelf.device { look(at: shelf, in: base.pushing(data)) }
    }
    let bundles = installedBundles(in: base)
    for index in report.containers.indices.dropFirst(first) {
      let container = report.containers[index]
      guard container.style == .appleSandbox, let identifier = container.identifier,
        let bundle = bundles[identifier]
      else { continue }
      report.containers[index] = container.setting(.resources, to: [bundle])
    }
  }

  mutating func lookForBackup(in base: FilePath) {
    for name in directories(in: base) {
      let domain = ContainerShelf.backupDomains.first { name.string.hasPrefix($0.prefix) }
      guard let domain else { continue }
      let identifier = String(name.string.dropFirst(domain.prefix.count))
      guard !identifier.isEmpty else { continue }
      report.containers.append(
        Container(domain.style, root: base.appending(name), identifier: identifier))
    }
  }

  /// The bundles of a device by the identifiers of their applications.
  private mutating func installedBundles(in base: FilePath) -> [String: FilePath] {
    var bundles: [String: FilePath] = [:]
    for shelf in ContainerShelf.bundles.map({ base.pushing($0) }) where files.isDirectory(shelf) {
      for name in directories(in: shelf) {
        let holder = shelf.appending(name)
        guard let identifier = metadataIdentifier(in: holder) else { continue }
        let bundle = directories(in: holder).first { $0.extension == "app" }
        bundles[identifier] = bundle.map { holder.appending($0) }
      }
    }
    return bundles
  }

  private mutating func isSnap(_ path: FilePath) -> Bool {
    directories(in: path).contains { $0.string == "common" || isRevision($0.bytes) }
  }

  // MARK: Reading

  /// Whether a path goes through directories only: on a device `/var` is a link to `/private/var`,
  /// and nothing is to be found twice.
  private func isPlain(_ path: FilePath, in base: FilePath) -> Bool {
    var whole = base
    return path.components.allSatisfy { component in
      whole.append(component)
      return files.isDirectory(whole)
    }
  }

  /// The sub-directories of a directory in the order of their bytes.
  mutating func directories(in directory: FilePath) -> [FilePath.Component] {
    do {
      return try files.names(in: directory)
        .filter { files.isDirectory(directory.appending($0)) }
        .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    } catch {
      if error != .noSuchFileOrDirectory, error != .notDirectory {
        report.failures.append(
          ContainerDiscovery.Report.Failure(path: directory, problem: .unsearchable(error)))
      }
      return []
    }
  }

  /// What the container manager says, else the directory's name unless that is a mere number.
  private mutating func identifier(
    of path: FilePath, named name: FilePath.Component
  ) -> String? {
    metadataIdentifier(in: path) ?? (isUUID(name.bytes) ? nil : name.string)
  }

  private mutating func metadataIdentifier(in path: FilePath) -> String? {
    do throws(ContainerDiscovery.Report.Failure) {
      return try ContainerMetadata.identifier(in: path, of: files)
    } catch {
      report.failures.append(error)
      return nil
    }
  }

  private func text(of file: FilePath) -> String? {
    (try? files.contents(of: file, atMost: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Whether a name is 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
private func isUUID(_ name: [UInt8]) -> Bool {
  name.count == 36
    && name.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index)
        ? byte == NameByte.dash : Unicode.Scalar(byte).properties.isASCIIHexDigit
    }
}

extension ContainerDiscovery {
  /// What a search for containers found.
  public struct Report: Hashable, Sendable {
    /// A directory that could not be searched, or a container's metadata that could not be read.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
      /// What is wrong.
      public enum Problem: Hashable, Sendable {
        /// The directory could not be searched, for the system's reason.
        case unsearchable(Errno)
        /// The file that the container manager keeps is no property list, or one that means harm;
        /// the text says which. The container is found without it.
        case unreadableMetadata(String)
      }

      /// The directory or the file.
      public let path: FilePath
      /// What is wrong with it.
      public let problem: Problem

      /// A directory or a file and what is wrong with it.
      public init(path: FilePath, problem: Problem) {
        self.path = path
        self.problem = problem
      }

      /// One line that names the place and the reason.
      public var description: String {
        switch problem {
        case .unsearchable(let errno): "\(path.string): cannot look for containers: \(errno)"
        case .unreadableMetadata(let reason):
          "\(path.string): cannot read the container's metadata: \(reason)"
        }
      }
    }

    /// The containers, in the order of their paths within each place that was searched.
    public var containers: [Container]
    /// What could not be searched or read. A place that does not exist is no failure.
    public var failures: [Failure]

    /// What was found, and what could not be searched.
    public init(containers: [Container] = [], failures: [Failure] = []) {
      self.containers = containers
      self.failures = failures
    }
  }
}

extension ContainerDiscovery {
  /// What discovery needs to know of a disk.
  ///
  /// Nothing is written, and no symbolic link is followed in the last component of a path.
  public protocol FileReader: Sendable {
    /// The names in a directory without `.` and `..`, in any order.
    func names(in directory: FilePath) throws(Errno) -> [FilePath.Component]
    /// Whether a path is a directory and no symbolic link; `false` when nothing can be said.
    func isDirectory(_ path: FilePath) -> Bool
    /// The bytes of a regular file, of which no more than a limit is needed.
    func contents(of file: FilePath, atMost limit: Int) throws(Errno) -> [UInt8]
    /// The bytes of a regular file in a directory that is no symbolic link either.
    ///
    /// By default those of the path that both make. A reader of what others may change meanwhile opens one
    /// after the other.
    func contents(
      of name: FilePath.Component, in directory: FilePath, atMost limit: Int
    ) throws(Errno) -> [UInt8]
  }
}

extension ContainerDiscovery.FileReader {
  /// The bytes of the file at the path that both make.
  public func contents(
    of name: FilePath.Component, in directory: FilePath, atMost limit: Int
  ) throws(Errno) -> [UInt8] {
    try contents(of: directory.appending(name), atMost: limit)
  }
}

extension LocalFiles: ContainerDiscovery.FileReader {}

/// The property list that Apple's container manager keeps beside or in a container.
package enum ContainerMetadata {
  /// The file's name on iOS and in its simulators, then that on macOS.
  private static let fileNames: [FilePath.Component] = [
    ".com.apple.mobile_container_manager.metadata.plist",
    ".com.apple.containermanagerd.metadata.plist",
  ]

  /// The largest that such a file may be, in bytes. They have some hundred.
  private static let longest = 1 << 20

  /// The identifier of the application or group that the property list in a directory names.
  ///
  /// - Returns: `nil` without a file that can be opened, and for a list that names none.
  /// - Throws: a failure for a file that is no property list.
  package static func identifier(
    in directory: FilePath, of files: any ContainerDiscovery.FileReader = LocalFiles()
  ) throws(ContainerDiscovery.Report.Failure) -> String? {
    var failure: ContainerDiscovery.Report.Failure?
    for name in fileNames {
      guard let bytes = try? files.contents(of: name, in: directory, atMost: longest + 1) else {
        continue
      }
      do throws(PropertyListError) {
        guard bytes.count <= longest else { throw .tooMuchText(limit: longest) }
        let list = try PropertyList(decoding: bytes)
        if let identifier = list["MCMMetadataIdentifier"]?.text, !identifier.isEmpty {
          return identifier
        }
      } catch {
        failure =
          failure
          ?? ContainerDiscovery.Report.Failure(
            path: directory.appending(name), problem: .unreadableMetadata(error.description))
      }
    }
    if let failure { throw failure }
    return nil
  }
}
