import Console
import Testing

@Suite("Bars")
struct BarTests {
  @Test(
    "a part is drawn in eighths of a column",
    arguments: [
      (0.0, ""), (-1, ""), (1, "████"), (7, "████"), (0.5, "██"), (0.28125, "█▏"), (0.0001, "▏"),
      (0.96875, "███▉"), (.nan, ""),
    ])
  func parts(_ part: Double, _ bar: String) {
    #expect(BarText(part, width: 4).string == bar)
  }

  @Test("no bar is wider than its whole", arguments: [0, 1, 7, 20])
  func widths(_ width: Int) {
    for part in stride(from: 0.0, through: 1.0, by: 0.01) {
      #expect(BarText(part, width: width).string.count <= width)
    }
  }
}
