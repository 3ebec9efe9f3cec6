// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Gallery",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "FileCatalog", path: "../.."),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
  ],
  targets: [
    .executableTarget(
      name: "gallery",
      dependencies: [
        .product(name: "FileCatalog", package: "FileCatalog"),
        .product(name: "SystemPackage", package: "swift-system"),
      ])
  ],
  swiftLanguageModes: [.v6])
