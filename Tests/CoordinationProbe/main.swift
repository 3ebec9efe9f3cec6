// Another process for the tests of coordination: does one thing with a coordinator of its own.
//
//     coordination-probe MODE PATH [ARGUMENT]
//
// Exits with 0 when all went as it should.

import FileCoordination
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else { exit(64) }
let path = FilePath(arguments[1])
let argument = arguments.count > 2 ? arguments[2] : ""
let coordinator = FileCoordinator(writeConcern: .fast, timeout: .seconds(1100))

switch arguments[0] {
case "increment":
  // Adds 1 to the number in a file, so many times.
  for _ in 0..<(Int(argument) ?? 0) {
    try await coordinator.update(at: path) { bytes in
      guard let number = Int(String(decoding: bytes, as: UTF8.self)) else { exit(1) }
      return Array(String(number + 1).utf8)
    }
  }

case "replace":
  // Writes files of one repeated byte and of a length that follows from it.
  for number in 0..<(Int(argument) ?? 0) {
    let byte = UInt8(truncatingIfNeeded: number)
    try await coordinator.write(
      [UInt8](repeating: byte, count: 1000 + 300 * Int(byte)), to: path)
  }

case "read":
  // Reads a file several times, of which it knows the content.
  for _ in 1...3 {
    guard try await coordinator.read(path) == Array(argument.utf8) else { exit(1) }
  }

case "protected":
  // Replaces a package, so many times, in which a directory may not be changed.
  for number in 0..<(Int(argument) ?? 0) {
    let fixed = DocumentPackage.Directory(
      ["Deep": .directory(DocumentPackage.Directory(["number": .file(Array("\(number)".utf8))]))],
      permissions: [.ownerRead, .ownerExecute])
    try await coordinator.write(DocumentPackage(["Fixed": .directory(fixed)]), to: path)
  }

case "durable":
  // Does what can be done in a directory, durably, and says what each operation throws.
  let durable = FileCoordinator(trash: Trash(home: path.appending("Trash")))
  let (file, package) = (path.appending("file"), path.appending("package"))
  let operations: [(String, () async throws -> Void)] = [
    ("create", { try await durable.write([1], to: file) }),
    ("write", { try await durable.write([1, 2], to: file) }),
    ("update", { try await durable.update(at: file) { $0 + [3] } }),
    (
      "access",
      {
        try await durable.withCoordinatedAccess(writing: [file]) { access in
          try await access.write(Array("text".utf8), to: file)
        }
      }
    ),
    ("move", { try await durable.move(file, to: path.appending("moved")) }),
    ("directory", { try await durable.createDirectory(at: path.appending("directory")) }),
    ("delete", { try await durable.delete(path.appending("directory"), .permanent) }),
    ("new package", { try await durable.write(DocumentPackage(["a": .file([1])]), to: package) }),
    ("package", { try await durable.write(DocumentPackage(["b": .file([2])]), to: package) }),
    ("trash", { try await durable.delete(path.appending("moved")) }),
  ]
  for (name, operation) in operations {
    do {
      try await operation()
      print("\(name): done")
    } catch let error as CoordinationError {
      print("\(name): \(error.code.rawValue)")
    }
  }

case "trash":
  // Says where the trash of the user is.
  Trash().home.withPlatformString { _ = puts($0) }

case "hold":
  // Holds the item until the process is killed.
  try await coordinator.withCoordinatedAccess(writing: [path]) { _ in
    print("held")
    fflush(nil)
    try await Task.sleep(for: .seconds(600))
  }

case "packages":
  // Replaces a package for ever, and says when it is at it. All its files say the same number.
  let coordinator =
    argument == "aside" ? FileCoordinator(puttingPackagesAside: .fast) : coordinator
  let first = Int.random(in: 1...1_000_000_000)
  for number in first... {
    let text = Array("\(number)".utf8)
    try await coordinator.write(
      DocumentPackage([
        "payload.plist": .file(text),
        ".hidden": .file(text),
        "Contents": .directory(
          DocumentPackage.Directory([
            "image.png": .file(text + [UInt8](repeating: 32, count: 50_000)),
            "number": .symlink(FilePath("\(number)")),
          ])),
      ]), to: path)
    if number == first {
      print("writing")
      fflush(nil)
    }
  }

case "pairs":
  // Moves 1 from one number to the other, taking both in turn in either order.
  let other = FilePath(argument)
  for round in 0..<100 {
    let both = round % 2 == 0 ? [path, other] : [other, path]
    try await coordinator.withCoordinatedAccess(writing: both) { access in
      let values = [try await access.read(both[0]), try await access.read(both[1])].map {
        Int(String(decoding: $0, as: UTF8.self)) ?? 0
      }
      try await access.write(Array(String(values[0] - 1).utf8), to: both[0])
      try await access.write(Array(String(values[1] + 1).utf8), to: both[1])
    }
  }

default:
  exit(64)
}
