#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The programs in Python that `Scripts/setup-tests` installs.
package enum Clients {
  /// The directory of this package.
  package static let root = #filePath.split(separator: "/").dropLast(3)
    .map { "/" + $0 }.joined()
  package static let python = "\(root)/.build/clients/bin/python"
  /// The directory of the Spark that `Scripts/setup-tests` installs.
  package static let spark = "\(root)/.build/spark"
  package static let hasSpark = access("\(spark)/bin/spark-sql", X_OK) == 0
  package static let areInstalled = access(python, X_OK) == 0

  /// The path of one of the scripts in `Tests/Clients`.
  package static func script(_ name: String) -> String { "\(root)/Tests/Clients/\(name)" }
}
