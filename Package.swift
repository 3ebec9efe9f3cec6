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
    .library(name: "StandardDirectories", targets: ["StandardDirectories"]),
    .library(name: "UniformTypes", targets: ["UniformTypes"]),
    .executable(name: "filecat", targets: ["filecat"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
  ],
  targets: [
    // What Swift cannot import from the system's C library, and all that differs between systems.
    .target(name: "CPlatform"),
    .target(
      name: "FileSystem", dependencies: ["CPlatform", systemPackage], swiftSettings: settings),
    // Homes, containers, the roles of their directories, and the variants of assets.
    .target(name: "StandardDirectories", dependencies: [systemPackage], swiftSettings: settings),
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
        .embedInCode("0001-catalog.sql"), .embedInCode("0002-history.sql"),
        .embedInCode("0003-reports.sql"), .embedInCode("0004-searches.sql"),
        .embedInCode("0005-containers.sql"),
      ],
      swiftSettings: settings),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    // The one way to a database: connections, statements, transactions, a pool, somebody's SQL, and
    // the pages of a new file, for a first load at the speed of the walk.
    .target(name: "SQLite", dependencies: ["CSQLite", "FileSystem"], swiftSettings: settings),
    // The page that reports are written to, embedded in the binary.
    .target(name: "CReportPage", exclude: ["page.html", "page.css", "page.js"]),
    .target(
      name: "FileCatalog",
      dependencies: [
        "CPlatform", "CReportPage", "FileSystem", "Migrations", "SQLite", "StandardDirectories",
        "UniformTypes", systemPackage,
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    // Printing rows: tables, JSON, CSV, progress. Knows nothing of catalogs.
    .target(name: "Console", swiftSettings: settings),
    .executableTarget(
      name: "filecat",
      dependencies: [
        "Console", "FileCatalog", "FileSystem", "StandardDirectories", "UniformTypes",
        systemPackage,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    // Measures what the library promises; see its main.swift.
    .executableTarget(
      name: "filecat-bench",
      dependencies: [
        "FileCatalog", "FileSystem", "SQLite", "StandardDirectories", "UniformTypes", systemPackage,
      ],
      swiftSettings: settings),
    // Another process with a coordinator of its own, for the tests of FileSystem.
    .executableTarget(
      name: "coordination-probe", dependencies: ["FileSystem", systemPackage],
      path: "Tests/CoordinationProbe", swiftSettings: settings),
    // What tests of several targets need.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(
      name: "FileSystemTests",
      dependencies: [
        "TestSupport", "CPlatform", "FileSystem", "coordination-probe", systemPackage,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ConsoleTests", dependencies: ["TestSupport", "Console"], swiftSettings: settings),
    .testTarget(
      name: "SQLiteTests", dependencies: ["TestSupport", "FileSystem", "SQLite"],
      swiftSettings: settings),
    .testTarget(
      name: "StandardDirectoriesTests",
      dependencies: ["TestSupport", "StandardDirectories", systemPackage],
      swiftSettings: settings),
    .testTarget(
      name: "UniformTypesTests",
      dependencies: ["TestSupport", "StandardDirectories", "UniformTypes", systemPackage],
      swiftSettings: settings),
    .testTarget(
      name: "FileCatalogTests",
      dependencies: [
        "TestSupport",
        "CPlatform", "FileCatalog", "FileSystem", "Migrations", "StandardDirectories",
        "UniformTypes", systemPackage,
      ],
      swiftSettings: settings),
    // Runs the built command as a process.
    .testTarget(
      name: "FilecatTests", dependencies: ["filecat", "FileCatalog", "FileSystem", systemPackage],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6])
