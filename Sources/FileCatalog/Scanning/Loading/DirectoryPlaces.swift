internal import StandardDirectories

/// The places of the directories that a first scan meets, each told from that of the one it is in.
struct DirectoryPlaces {
  private let map: PlaceMap
  /// By the walk's number of the directory.
  private var places: [PlaceMap.Place] = []

  init(_ map: PlaceMap) {
    self.map = map
  }

  /// The place of the root, by its path.
  mutating func addRoot(_ path: [UInt8]) -> Int64 {
    guard !map.isEmpty else { return PlaceMap.outside }
    return add(path.withUnsafeBufferPointer { map.place(of: $0) }, as: 0)
  }

  /// The place of a directory in another one that was added before.
  @inline(__always)
  mutating func add(
    _ index: Int32, named name: UnsafeBufferPointer<UInt8>, in parent: Int32
  ) -> Int64 {
    guard !map.isEmpty else { return PlaceMap.outside }
    return add(map.place(ofChild: name, of: places[Int(parent)]), as: index)
  }

  private mutating func add(_ place: PlaceMap.Place, as index: Int32) -> Int64 {
    while places.count <= Int(index) { places.append(map.top) }
    places[Int(index)] = place
    return map.number(of: place)
  }
}
