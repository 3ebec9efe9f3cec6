// Measures what the library promises. Run it as a release build:
//
//     swift run -c release filecat-bench types /usr
//     swift run -c release filecat-bench images catalog.sqlite
//     swift run -c release filecat-bench walk /usr
//     swift run -c release filecat-bench insert catalog.sqlite
//     swift run -c release filecat-bench containers /usr
//     swift run -c release filecat-bench lookup catalog.sqlite
//     swift run -c release filecat-bench entries catalog.sqlite
//     swift run -c release filecat-bench coordinate /tmp
//     swift run -c release filecat-bench tables 1000000
//     swift run -c release filecat-bench parquet catalog.sqlite
//
// One line a result on standard output, for people and for comparing with the run before.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A measurement by its name on the command line.
let benchmarks: [String: Benchmark] = [
  "types": Benchmark("DIR", "the type lookup over the names of a tree", measureTypes),
  "walk": Benchmark("DIR", "the bare walk of a tree", measureWalk),
  "insert": Benchmark("CATALOG", "inserting the rows of a catalog through SQL", measureInsert),
  "coordinate": Benchmark("DIR", "coordinated writing and reading", measureCoordination),
  "containers": Benchmark(
    "DIR", "what a container adds to a first scan, and what names cost", measureContainers),
  "entries": Benchmark("CATALOG", "reading all entries of a catalog", measureEntries),
  "lookup": Benchmark("CATALOG", "looking assets up in a catalog", measureLookup),
  "images": Benchmark("CATALOG", "finding all images in a catalog", measureImages),
  "parquet": Benchmark("CATALOG", "writing the entries of a catalog as Parquet", measureParquet),
  "tables": Benchmark("ENTRIES", "tables of a simulated tree of this size", measureTables),
]

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 2, let benchmark = benchmarks[arguments[0]] else {
  print("usage: filecat-bench MODE ARGUMENT")
  for (name, benchmark) in benchmarks.sorted(by: { $0.key < $1.key }) {
    print("  \(name) \(benchmark.argument): \(benchmark.purpose)")
  }
  exit(EX_USAGE)
}
do {
  try await benchmark.run(arguments[1])
} catch {
  print("filecat-bench: \(error)")
  exit(EXIT_FAILURE)
}
