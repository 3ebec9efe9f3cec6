import TestTraits
import Testing
import UniformTypes

@Suite("The built-in table")
struct TableTests {
  let registry = TypeRegistry.builtIn

  @Test("has at least a thousand types, all found under their identifier")
  func identifiers() {
    #expect(registry.count > 1000)
    for type in registry.types {
      #expect(registry.type(identifier: type.identifier.uppercased()) == type)
      #expect(type.identifier == type.identifier.lowercased())
      #expect(type.isDeclared && !type.isDynamic)
      #expect(type.isPublic == type.identifier.hasPrefix("public."))
    }
  }

  @Test("numbers its types once, from 1 to 9999, in the order of the rows")
  func numbers() {
    let numbers = registry.types.compactMap(\.builtInID)
    #expect(numbers.count == registry.count)
    #expect(Set(numbers).count == numbers.count)
    #expect(numbers == numbers.sorted())
    #expect(numbers.allSatisfy { UniformType.builtInIDs.contains($0) })
    // Numbers are stored in catalogs: these must never change.
    #expect(UniformType.item.builtInID == 1)
    #expect(UniformType.data.builtInID == 2)
    #expect(UniformType("public.to-do-item")?.builtInID != nil)
  }

  @Test("describes every type")
  func descriptions() {
    for type in registry.types {
      #expect(type.localizedDescription?.isEmpty == false, "\(type)")
    }
  }

  @Test("closes conformance as a walk over the direct supertypes does", .feature("P-25"))
  func closure() {
    for index in registry.indices {
      var seen: Set<TypeIndex> = []
      var queue = registry.parents(of: index)
      while let next = queue.popLast() {
        if seen.insert(next).inserted { queue += registry.parents(of: next) }
      }
      #expect(Set(registry.ancestors(of: index)) == seen)
      #expect(!seen.contains(index), "\(registry.type(at: index)) conforms to itself")
      let type = registry.type(at: index)
      for ancestor in seen {
        #expect(type.conforms(to: registry.type(at: ancestor)))
        #expect(type.isSubtype(of: registry.type(at: ancestor)))
        #expect(!registry.type(at: ancestor).conforms(to: type))
      }
      #expect(type.conforms(to: type) && !type.isSubtype(of: type))
    }
  }

  @Test("leaves no shared tag without a rank")
  func ranks() {
    let undecided = registry.conflicts.filter { $0.decision == .order && $0.tagClass != .mimeType }
    #expect(undecided.isEmpty, "\(undecided)")
  }

  @Test("gives files and directories types that lead to public.data and public.directory")
  func families() throws {
    for type in registry.types where !type.isAbstract {
      guard let filenameExtension = type.preferredFilenameExtension else { continue }
      #expect(
        type.conforms(to: .data) || type.conforms(to: .directory), "\(type) \(filenameExtension)")
    }
  }

  @Test("finds every type again by each of its tags")
  func tags() {
    for index in registry.indices {
      let type = registry.type(at: index)
      for tag in registry.rankedTags(of: index) {
        let found = registry.types(tag: tag.tag, tagClass: tag.tagClass, conformingTo: nil)
        #expect(found.contains(type), "\(type) \(tag)")
        #expect(found[tag.rank] == type, "\(type) \(tag)")
      }
    }
  }

  @Test("has every type that programs name")
  func wellKnown() {
    let types: [UniformType] = [
      .item, .content, .compositeContent, .data, .directory, .folder, .volume, .package, .bundle,
      .text, .plainText, .html, .xml, .json, .yaml, .sourceCode, .script, .image, .jpeg, .png,
      .heic, .webP, .svg, .audiovisualContent, .movie, .audio, .mp3, .archive, .zip, .gzip, .font,
      .pdf, .spreadsheet, .presentation, .database, .unixExecutable, .symbolicLink, .exe, .epub,
      .haptics, .tarArchive, .diskImage, .emailMessage, .markdown, .x509Certificate,
    ]
    for type in types { #expect(type.builtInID != nil, "\(type)") }
  }

  @Test("is the same every time it is read")
  func fingerprint() {
    let again = TypeRegistry(declarationDirectories: [])
    #expect(again.fingerprint == registry.fingerprint)
    #expect(again.diagnostics.isEmpty && registry.diagnostics.isEmpty)
  }

  @Test("suggests near identifiers for one that is not there")
  func suggestions() {
    #expect(registry.identifiers(resembling: "public.jpg").contains("public.jpeg"))
    #expect(registry.identifiers(resembling: "jpeg").contains("public.jpeg"))
    #expect(registry.identifiers(resembling: "").isEmpty)
  }
}
