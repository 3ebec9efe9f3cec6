internal import CatalogStore
package import StandardDirectories
internal import SystemPackage

/// Tells the number of the place that a directory has among the containers of a catalog.
///
/// Numbers are those of the table `_places`: a role in a container, or what has no role there.
package struct PlaceMap: Sendable {
  package typealias Place = RoleMap.Place

  /// The number of what is in no container.
  package static let outside: Int64 = 0

  package let containers: [Container]
  private let map: RoleMap
  private let numbers: [[Role?: Int64]]

  /// - Parameter numbers: for each container those of its roles, and of what has none.
  package init(_ containers: [Container], numbers: [[Role?: Int64]]) {
    self.containers = containers
    self.numbers = numbers
    map = RoleMap(containers)
  }

  package static let empty = PlaceMap([], numbers: [])

  package var isEmpty: Bool { containers.isEmpty }

  /// The place above all.
  package var top: Place { map.top }

  package func place(ofChild name: UnsafeBufferPointer<UInt8>, of parent: Place) -> Place {
    map.place(ofChild: name, of: parent)
  }

  /// The place of a directory by the bytes of its absolute path.
  package func place(of path: UnsafeBufferPointer<UInt8>) -> Place {
    var place = map.top
    var start = 0
    for end in 0...path.count where end == path.count || path[end] == UInt8(ascii: "/") {
      if end > start {
        place = map.place(ofChild: UnsafeBufferPointer(rebasing: path[start..<end]), of: place)
      }
      start = end + 1
    }
    return place
  }

  package func number(of place: Place) -> Int64 {
    guard let container = place.container else { return Self.outside }
    return numbers[container][place.role] ?? Self.outside
  }
}
