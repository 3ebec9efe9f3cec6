// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

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
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
  ],
  targets: [
    // What Swift cannot import from the system's C library, and all that differs between systems.
    .target(name: "CPlatform"),
    // How the disk is read: directories, walks, what changes.
    .target(
      name: "FileSystem", dependencies: ["CPlatform", systemPackage], swiftSettings: settings),
    // How documents are written, so that nobody sees half of one.
    .target(
      name: "FileCoordination", dependencies: ["CPlatform", "FileSystem", systemPackage],
      swiftSettings: settings),
    // Containers, the roles of their directories, and the variants of assets.
    .target(name: "StandardDirectories", dependencies: [systemPackage], swiftSettings: settings),
    // The table of types, embedded in the binary.
    .target(name: "CTypeData", exclude: ["types.tsv"]),
    .target(name: "UniformTypes", dependencies: ["CTypeData"], swiftSettings: settings),
    // The only definition of the schema, carried inside the binary.
    .target(
      name: "Migrations",
      path: "Migrations",
      resources: [
        .embedInCode("0001-catalog.sql"), .embedInCode("0002-history.sql"),
        .embedInCode("0003-reports.sql"), .embedInCode("0004-searches.sql"),
        .embedInCode("0005-containers.sql"),
      ],
      swiftSettings: settings),
    // Writes the pages of a new database: a first load at the speed of the walk.
    .target(name: "SQLitePages", swiftSettings: settings),
    // The page that reports are written to, embedded in the binary.
    .target(name: "CReportPage", exclude: ["page.html", "page.css", "page.js"]),
    .target(
      name: "FileCatalog",
      dependencies: [
        "CReportPage", "FileCoordination", "FileSystem", "Migrations", "SQLitePages",
        "StandardDirectories", "UniformTypes", systemPackage,
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    // Printing rows: tables, JSON, CSV, progress. Knows nothing of catalogs.
    .target(name: "Console", swiftSettings: settings),
    .executableTarget(
      name: "filecat",
      dependencies: [
        "Console", "FileCatalog", "FileCoordination", "FileSystem", "StandardDirectories",
        "UniformTypes", systemPackage,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    // Measures what the library promises; see its main.swift.
    .executableTarget(
      name: "filecat-bench",
      dependencies: [
        "FileCatalog", "FileCoordination", "FileSystem", "StandardDirectories", "UniformTypes",
        systemPackage,
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    // Another process with a coordinator of its own, for the tests of FileCoordination.
    .executableTarget(
      name: "coordination-probe", dependencies: ["FileCoordination", systemPackage],
      path: "Tests/CoordinationProbe", swiftSettings: settings),
    // What tests of several targets need.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(
      name: "FileSystemTests",
      dependencies: ["TestSupport", "CPlatform", "FileSystem", systemPackage],
      swiftSettings: settings),
    .testTarget(
      name: "FileCoordinationTests",
      dependencies: [
        "TestSupport", "FileCoordination", "FileSystem", "coordination-probe", systemPackage,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ConsoleTests", dependencies: ["TestSupport", "Console"], swiftSettings: settings),
    .testTarget(
      name: "SQLitePagesTests", dependencies: ["TestSupport", "SQLitePages"],
      swiftSettings: settings),
    .testTarget(
      name: "StandardDirectoriesTests",
      dependencies: ["TestSupport", "StandardDirectories", systemPackage],
      swiftSettings: settings),
    .testTarget(
      name: "UniformTypesTests", dependencies: ["TestSupport", "UniformTypes"],
      swiftSettings: settings),
    .testTarget(
      name: "FileCatalogTests",
      dependencies: [
        "TestSupport",
        "CPlatform", "FileCatalog", "FileCoordination", "FileSystem", "Migrations",
        "StandardDirectories", "UniformTypes", systemPackage,
      ],
      swiftSettings: settings),
    // Runs the built command as a process.
    .testTarget(
      name: "FilecatTests",
      dependencies: ["filecat", "FileCatalog", "FileCoordination", "FileSystem", systemPackage],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6])
