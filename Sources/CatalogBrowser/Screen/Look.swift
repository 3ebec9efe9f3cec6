/// How a cell looks.
///
/// Colours are those of the palette that people have chosen for their terminal, before the background
/// that they have chosen: so they can be read on light and on dark ones.
package struct Look: Hashable, Sendable {
  /// A colour of the palette, by its number.
  package enum Color: Int16, Sendable, CaseIterable {
    case red = 1
    case green, yellow, blue, magenta, cyan
  }

  /// How a cell stands out where there are no colours as well.
  package struct Attributes: OptionSet, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let bold = Attributes(rawValue: 1)
    package static let reversed = Attributes(rawValue: 2)
    package static let underlined = Attributes(rawValue: 4)
  }

  /// `nil` for the colour of all text.
  package var color: Color?
  package var attributes: Attributes

  package init(_ color: Color? = nil, _ attributes: Attributes = []) {
    self.color = color
    self.attributes = attributes
  }

  package static let plain = Look()
  package static let bold = Look(nil, .bold)
  package static let reversed = Look(nil, .reversed)
  package static let fault = Look(.red, .bold)

  /// The same look for a row that is chosen.
  package func chosen() -> Look {
    // Colours on a reversed background are hard to read on half of all palettes.
    Look(nil, attributes.union(.reversed))
  }
}
