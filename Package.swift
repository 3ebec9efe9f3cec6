// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Tests are compiled as they stand, also where what they test is optimised: that takes a third of the time.
let testSettings = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "FileCatalog",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "FileCatalog", targets: ["FileCatalog"]),
    .library(name: "FileSystem", targets: ["FileSystem"]),
    .library(name: "FileCoordination", targets: ["FileCoordination"]),
    .library(name: "StandardDirectories", targets: ["StandardDirectories"]),
    .library(name: "UniformTypes", targets: ["UniformTypes"]),
    .executable(name: "filecat", targets: ["filecat"]),
    .executable(name: "filecat-serve", targets: ["filecat-serve"]),
    .executable(name: "filecat-browse", targets: ["filecat-browse"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
  ],
  targets: [
    // What Swift cannot import from the system's C library, and all that differs between systems.
    .target(name: "CPlatform"),
    // Globs, regular expressions, case folding, natural order: bytes in, answers out.
    .target(name: "TextMatching", swiftSettings: settings),
    // How the disk is read: directories, walks, what changes.
    .target(
      name: "FileSystem", dependencies: ["CPlatform", systemPackage], swiftSettings: settings),
    // Homes, containers, the roles of their directories, and the variants of assets.
    .target(
      name: "StandardDirectories", dependencies: ["TextMatching", systemPackage],
      swiftSettings: settings),
    // How documents are written, so that nobody sees half of one.
    .target(
      name: "FileCoordination",
      dependencies: ["CPlatform", "FileSystem", "StandardDirectories", systemPackage],
      swiftSettings: settings),
    // The table of types, embedded in the binary.
    .target(name: "CTypeData", exclude: ["types.tsv"]),
    .target(
      name: "UniformTypes", dependencies: ["CTypeData", "StandardDirectories", systemPackage],
      swiftSettings: settings),
    // The only definition of the schema, carried inside the binary.
    .target(
      name: "Migrations",
      path: "Migrations",
      resources: [
        .embedInCode("0001-catalog.sql"), .embedInCode("views.sql"),
      ],
      swiftSettings: settings),
    // The file that new catalogs begin as, embedded in the binary.
    .target(name: "CCatalogTemplate", exclude: ["template.sqlite.zst"]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    // The one way to a database: connections, statements, transactions, a pool, somebody's SQL, and
    // the pages of a new file, for a first load at the speed of the walk.
    .target(
      name: "SQLite", dependencies: ["CSQLite", "FileSystem", systemPackage],
      swiftSettings: settings),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CCurses", providers: [.apt(["libncurses-dev"]), .brew(["ncurses"])]),
    // Writes Parquet files, and reads what it writes. Knows nothing of catalogs.
    .target(name: "Parquet", dependencies: ["CZstd"], swiftSettings: settings),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // What images and documents say of themselves: bytes in, values out. Knows neither files nor catalogs.
    .target(name: "FileFormats", dependencies: ["CZlib"], swiftSettings: settings),
    // Numbers, dates and names as people read them; printing rows: tables, JSON, CSV, progress. Knows
    // nothing of catalogs.
    .target(name: "Console", swiftSettings: settings),
    // The page that reports are written to, embedded in the binary.
    .target(name: "CReportPage", exclude: ["page.html", "page.css", "page.js"]),
    // The page by which a browser shows a catalog, embedded in the binary.
    .target(
      name: "CCatalogPage",
      exclude: ["page.html", "page.css", "page.js", "icon.svg", "css", "js"]),
    // The catalog's file: the schema, each table's row once, opening and creating, and the values that
    // everything above speaks in.
    .target(
      name: "CatalogStore",
      dependencies: [
        "CCatalogTemplate", "CPlatform", "CZstd", "FileSystem", "Migrations", "SQLite",
        "StandardDirectories", "TextMatching", systemPackage,
      ],
      swiftSettings: settings),
    // From a walk to rows: types, the difference between a listing and what is stored, moves, totals,
    // history.
    .target(
      name: "CatalogScan",
      dependencies: [
        "CatalogStore", "CPlatform", "FileCoordination", "FileFormats", "FileSystem", "SQLite",
        "StandardDirectories", "TextMatching", "UniformTypes", systemPackage,
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    // Where many machines publish their catalogs: what is in a lake, and what it says of each. Knows
    // nothing of what catalogs hold.
    .target(
      name: "Fleet",
      dependencies: [
        "CatalogStore", "Console", "CPlatform", "FileSystem", "SQLite", "StandardDirectories",
        systemPackage,
      ],
      swiftSettings: settings),
    // The public face. Whoever imports it needs nothing else: it exports what lies below.
    .target(
      name: "FileCatalog",
      dependencies: [
        "CatalogScan", "CatalogStore", "Console", "CReportPage", "FileCoordination", "FileSystem",
        "Fleet", "Parquet", "SQLite", "StandardDirectories", "TextMatching", "UniformTypes",
        systemPackage,
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "filecat",
      dependencies: [
        "Console", "CPlatform", "FileCatalog", "FileCoordination", "FileSystem",
        "StandardDirectories", "UniformTypes", systemPackage,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    // The catalog over HTTP: an API, and the page that is made of it.
    .target(
      name: "CatalogServer",
      dependencies: [
        "CCatalogPage", "CZlib", "Console", "FileCatalog", "FileSystem", "StandardDirectories",
        "TextMatching", "UniformTypes", systemPackage,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: settings),
    // The program that `filecat serve` becomes: the command itself stays free of all that a server takes.
    .executableTarget(
      name: "filecat-serve",
      dependencies: [
        "CPlatform", "CatalogServer", "Console", "FileCatalog", "FileSystem",
        "StandardDirectories", systemPackage,
      ],
      swiftSettings: settings),
    // The catalog on a terminal: what is shown as a value, its picture as cells, and the terminal.
    .target(
      name: "CatalogBrowser",
      dependencies: [
        "CCurses", "CPlatform", "Console", "FileCatalog", "FileCoordination", "FileSystem",
        systemPackage,
      ],
      swiftSettings: settings),
    // The program that `filecat browse` becomes: the command itself does not load ncurses.
    .executableTarget(
      name: "filecat-browse",
      dependencies: [
        "CPlatform", "CatalogBrowser", "Console", "FileCatalog", "FileSystem", systemPackage,
      ],
      swiftSettings: settings),
    // Measures what the library promises; see its main.swift.
    .executableTarget(
      name: "filecat-bench",
      dependencies: [
        "FileCatalog", "FileCoordination", "FileSystem", "Parquet", "SQLite",
        "StandardDirectories", "UniformTypes", systemPackage,
      ],
      swiftSettings: settings),
    // An example of directories observed in one object, which its test runs.
    .executableTarget(
      name: "gallery", dependencies: ["FileCatalog", systemPackage], path: "Examples/Gallery",
      swiftSettings: settings),
    // Another process with a coordinator of its own, for the tests of FileCoordination.
    .executableTarget(
      name: "coordination-probe", dependencies: ["FileCoordination", systemPackage],
      path: "Tests/CoordinationProbe", swiftSettings: settings),
    // Attacks the built command; see Documentation/reliability.md.
    .executableTarget(
      name: "filecat-torture", dependencies: ["CPlatform", "SQLite", "TestSupport", systemPackage],
      path: "Tests/Torture", swiftSettings: settings),
    // What tests of several targets need.
    .target(
      name: "TestSupport", dependencies: ["CPlatform", systemPackage], path: "Tests/TestSupport",
      swiftSettings: settings),
    .target(name: "TestTraits", path: "Tests/TestTraits", swiftSettings: settings),
    .testTarget(
      name: "TextMatchingTests", dependencies: ["TestSupport", "TestTraits", "TextMatching"],
      swiftSettings: testSettings),
    .testTarget(
      name: "FileSystemTests",
      dependencies: ["TestSupport", "TestTraits", "CPlatform", "FileSystem", systemPackage],
      swiftSettings: testSettings),
    .testTarget(
      name: "FileCoordinationTests",
      dependencies: [
        "TestSupport", "TestTraits", "CPlatform", "FileCoordination", "FileSystem",
        "coordination-probe",
        systemPackage,
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "FileFormatsTests",
      dependencies: ["TestSupport", "TestTraits", "CZlib", "FileFormats", systemPackage],
      swiftSettings: testSettings),
    .testTarget(
      name: "ConsoleTests", dependencies: ["TestSupport", "TestTraits", "Console"],
      swiftSettings: testSettings),
    .testTarget(
      name: "SQLiteTests",
      dependencies: ["TestSupport", "TestTraits", "FileSystem", "SQLite", systemPackage],
      swiftSettings: testSettings),
    .testTarget(
      name: "ParquetTests", dependencies: ["TestSupport", "TestTraits", "Parquet", systemPackage],
      swiftSettings: testSettings),
    .testTarget(
      name: "StandardDirectoriesTests",
      dependencies: ["TestSupport", "TestTraits", "StandardDirectories", systemPackage],
      swiftSettings: testSettings),
    .testTarget(
      name: "UniformTypesTests",
      dependencies: [
        "TestSupport", "TestTraits", "StandardDirectories", "UniformTypes", systemPackage,
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "FileCatalogTests",
      dependencies: [
        "TestSupport", "TestTraits",
        "CatalogScan", "CatalogStore", "Console", "CPlatform", "FileCatalog", "FileCoordination",
        "FileSystem", "Fleet", "Migrations", "Parquet", "SQLite", "StandardDirectories",
        "TextMatching", "UniformTypes", "coordination-probe", "gallery",
        systemPackage,
      ],
      swiftSettings: testSettings),
    // The pure functions of a scan, by tables of values, without a disk or a database.
    .testTarget(
      name: "CatalogScanTests",
      dependencies: [
        "CatalogScan", "CatalogStore", "CZstd", "FileSystem", "SQLite", "TestSupport",
        systemPackage,
      ],
      swiftSettings: testSettings),
    // What the server does without a socket.
    .testTarget(
      name: "CatalogServerTests",
      dependencies: [
        "TestSupport", "CatalogServer",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: testSettings),
    // What the browser shows, without a terminal.
    .testTarget(
      name: "CatalogBrowserTests",
      dependencies: [
        "TestSupport", "CatalogBrowser", "Console", "FileCatalog", "FileSystem", systemPackage,
      ],
      swiftSettings: testSettings),
    // Runs the built command as a process.
    .testTarget(
      name: "FilecatTests",
      dependencies: [
        "TestSupport", "TestTraits", "filecat", "filecat-browse", "filecat-serve", "FileCatalog",
        "FileCoordination", "FileSystem",
        systemPackage,
      ],
      swiftSettings: testSettings),
  ],
  swiftLanguageModes: [.v6])
