// Attacks the built command, for as long as it is told to:
//
//     filecat-torture [PART…] [--seed N] [--minutes N] [--tries N] [--try N] [--workers N]
//
// Documentation/reliability.md says what each part does and how to read a failure.

import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@main
struct Torture {
  /// All parts, in the order in which they are run.
  static let parts: [any Part.Type] = [
    SystemFaults.self, Kills.self, PowerCuts.self, FullDisks.self, HostileCatalogs.self,
    HostileNames.self, HostileStatements.self, DamagedInput.self, Churn.self, Concurrency.self,
  ]

  static func main() {
    do {
      let wishes = try Wishes(Array(CommandLine.arguments.dropFirst()))
      exit(try run(wishes) ? 0 : 1)
    } catch let error as Wishes.Mistake {
      complain(
        "\(error.text); usage: torture [PART…] [--seed N] [--minutes N] [--tries N] [--try N]")
      complain("parts: \(parts.map { $0.name }.joined(separator: " "))")
      exit(64)
    } catch {
      complain("\(error)")
      exit(2)
    }
  }

  /// - Returns: whether nothing was found.
  private static func run(_ wishes: Wishes) throws -> Bool {
    guard let program = CommandRunner.built("filecat")?.program else {
      throw CommandError(description: "there is no filecat beside this program")
    }
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let campaign = Campaign(wishes, program: program, in: directory)
    return campaign.run()
  }

  private static func complain(_ line: String) {
    _ = try? FileDescriptor.standardError.writeAll("torture: \(line)\n".utf8)
  }
}

/// What somebody wants tried.
struct Wishes {
  struct Mistake: Error {
    let text: String
  }

  var parts: [any Part.Type] = []
  /// What every choice follows from.
  var seed: UInt64 = 1
  /// How long all of it may take; `nil`: as many tries as each part wants.
  var minutes: Double?
  /// How many tries each part may make; `nil`: as many as it wants, or as there is time for.
  var tries: Int?
  /// The one try to repeat.
  var number: Int?
  /// How many tries go on at a time.
  var workers = 3

  init(_ arguments: [String]) throws(Mistake) {
    var words = arguments[...]
    while let word = words.popFirst() {
      switch word {
      case "--seed": seed = try Self.number(words.popFirst(), of: word)
      case "--minutes": minutes = try Self.number(words.popFirst(), of: word)
      case "--tries": tries = try Self.number(words.popFirst(), of: word)
      case "--try": number = try Self.number(words.popFirst(), of: word)
      case "--workers": workers = max(1, try Self.number(words.popFirst(), of: word))
      default:
        guard let part = Torture.parts.first(where: { $0.name == word }) else {
          throw Mistake(text: "there is no part “\(word)”")
        }
        parts.append(part)
      }
    }
    if parts.isEmpty { parts = Torture.parts }
  }

  private static func number<Number: LosslessStringConvertible>(
    _ word: String?, of option: String
  ) throws(Mistake) -> Number {
    guard let number = word.flatMap({ Number($0) }) else {
      throw Mistake(text: "\(option) takes a number")
    }
    return number
  }
}
