/// A part of a whole as a bar of blocks, in eighths of a column: `███▌`.
public struct BarText: Sendable, Equatable {
  /// The part, from 0 to 1. What is outside is taken for the nearer end.
  public var part: Double

  /// The columns of the whole.
  public var width: Int

  /// The bar of a part.
  public init(_ part: Double, width: Int) {
    self.part = part
    self.width = width
  }

  /// The bar, without anything after its end. The smallest part that is not nothing is visible.
  public var string: String {
    guard part > 0, width > 0 else { return "" }
    let eighths = max(1, Int((min(part, 1) * Double(width) * 8).rounded()))
    return String(repeating: "█", count: eighths / 8) + Self.endings[eighths % 8]
  }

  private static let endings = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
}
