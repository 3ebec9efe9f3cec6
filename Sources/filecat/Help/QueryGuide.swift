import Console
import FileCatalog
import StandardDirectories

/// The reference of the query language: `filecat help query`, the manual page filecat-query(7) and
/// `Documentation/query.md` are made of it.
///
/// A test runs what stands under “Query”, “Command” and “Examples”, and compares what is found with
/// what stands under “Finds” and “Does not find”.
enum QueryGuide {
  static let title = "The query language"

  static let page = ManualPage(
    name: "filecat-query",
    abstract: "the language of filecat find, of saved searches and of queries in programs",
    sections: [
      combining, words, terms, values, patterns, letters, quotes, saved, mistakes, examples,
    ])

  // MARK: - Terms

  private static let combining = ManualPage.Section(
    "Queries",
    [
      .paragraph(
        """
        A query consists of terms with spaces between them, and finds the entries for which all of them \
        are true. Without a term it finds everything. On the command line the terms may be one argument \
        or several.
        """),
      .table(
        ["Written", "Means"],
        [
          ["a b", "Both are true. `a AND b` is the same."],
          ["a OR b", "One of them is true, or both. `a | b` is the same."],
          [
            "NOT a",
            "It is not true. `!a` is the same, and so is `-key:value` for a term with a key.",
          ],
          ["(a OR b) c", "What is in parentheses goes first. Otherwise AND goes before OR."],
        ]),
      .paragraph(
        """
        A word with a dash before it and no colon in it, such as `-draft`, is no query: it might be an \
        option that was mistyped. Write `!draft`.
        """),
      .paragraph(
        """
        A shell takes `*`, `?`, `[`, `{`, `<`, `>`, `|`, `!`, quotes and parentheses for itself. Put the \
        whole query between single quotes.
        """),
    ])

  private static let words = ManualPage.Section(
    "Words",
    [
      .paragraph(
        """
        A term without a key is a word. It is looked for in names. With `*`, `?`, `[…]` or `{a,b}` in it, \
        it is a pattern for the whole name. With a slash in it, it is looked for in paths: the absolute \
        path if it begins with a slash, else anywhere in the path where a name begins.
        """),
      .table(
        ["Query", "Finds", "Does not find"],
        [
          ["report", "`report1.txt`, `Report10.txt`", "`re-port.txt`"],
          ["*.swift", "`main.swift`", "`main.swift.orig`"],
          ["report?.txt", "`report1.txt`", "`Report10.txt`"],
          ["report[1-3].txt", "`report1.txt`", "`report4.txt`"],
          ["*.{jpg,png}", "`sunset.jpg`, `icon.png`", "`sunset.gif`"],
          ["Sources/main.swift", "`app/Sources/main.swift`", "`OldSources/main.swift`"],
          ["sea side", "`sea-side.txt`, `sea side.txt`", "`seaweed.txt`"],
          ["\"sea side\"", "`sea side.txt`", "`sea-side.txt`"],
          ["!*.txt icon", "`icon.png`", "`icon.txt`"],
          ["(*.gif | *.png) !icon", "`sunset.gif`", "`icon.png`, `sunset.jpg`"],
        ]),
    ])

  private static let terms = ManualPage.Section(
    "Terms",
    [
      .paragraph("A term has a key, a colon, and a value without a space before it."),
      .table(
        ["Term", "Examples", "Asks for"],
        QueryTerm.all.map { term in
          let examples = term.examples.map { "`\($0)`" }.joined(separator: " ")
          let synonym = term.synonym.map { " Also `\($0):`." } ?? ""
          return [term.key + ":", examples, term.meaning + synonym]
        } + [
          [
            QueryTerm.caseKey + ":", "`case:yes`",
            "Whether small and capital letters differ, in the whole query.",
          ]
        ]),
    ])

  // MARK: - Values

  private static let values = ManualPage.Section(
    "Values",
    [
      .table(
        ["Written", "Means"],
        [
          ["3", "The number itself."],
          [">3 >=3 <3 <=3", "More, at least, less, at most."],
          [
            "1..3",
            "From 1 to 3, both of them included. `1..<3` leaves 3 out. `1..` and `..3` have one end.",
          ],
          ["10M 1.5G", "Sizes with K, M, G and T for powers of 1024."],
          ["10MB 2GB", "Sizes with KB, MB, GB and TB for powers of 1000."],
          ["<7d", "Younger than seven days. Ages have s, m (minutes), h, d, w, mo (months) or y."],
          [">1y", "Older than a year. `1d..7d` is between the two."],
          [
            "2026-01-31",
            "That day, in your time zone. `2026-01` is the month, `2026` the year, `2026-01-31T12:30` the minute.",
          ],
          [
            "2026-01..2026-03",
            "From the beginning of January to the end of March. `>=2026-01-31` and `<2026` have one end.",
          ],
          ["today yesterday", "Days that are counted from now; `today-7d` too."],
          ["2026-01-31T12:30Z", "With a time zone: `Z`, or `+02:00`."],
          ["yes no", "For `empty:`, `hidden:`, `broken:`, `purgeable:`, `offline:` and `case:`."],
          ["644 -022 /022", "Permission bits: exactly these, all of these, any of these."],
          ["png,jpg", "One of several: extensions and kinds."],
          [
            "width>=4000 width=1..3",
            "After `value:`: a key, and what its number is. `letter=a*` is about its text.",
          ],
        ]),
      .paragraph("Kinds by what an entry is: \(list(structures)). By type: \(list(families))."),
      .paragraph(
        """
        Types are uniform type identifiers: `type:public.jpeg` is exactly this one, `is:public.image` \
        this one and all that conform to it. `filecat types tree public.image` shows them.
        """),
      .paragraph(
        """
        Roles: \(list(Role.standard.map(\.name))), and those that were declared; see “filecat containers roles \
        --help”. Idioms: \(list(Idiom.allCases.map(\.rawValue))). \
        For `backup:` there are \(list(Role.Policy.Backup.allCases.map(\.rawValue))).
        """),
      .paragraph(
        """
        `xattr:` asks for an extended attribute, which scans store with `--xattrs`, and after a `=` for its \
        whole text, in which `*`, `?`, `[…]` and `{a,b}` are wildcards. `value:` asks for any value of the \
        view `resource_values` by its key. After the key, `=` stands before a text or a number, and `>`, \
        `>=`, `<`, `<=` and `=1..3` are about numbers. A key with one of these signs in it stands between \
        quotes. Both are names of columns and sort keys as well: `--columns name,xattr:user.project`. \
        `tag:` finds what “filecat tag” has set, and what others have, where scans store extended \
        attributes.
        """),
    ])

  private static var structures: [String] {
    Filter.Kind.allCases.filter { $0.conformsToTypes == false }.map(\.rawValue)
  }

  private static var families: [String] {
    Filter.Kind.allCases.filter(\.conformsToTypes).map(\.rawValue)
  }

  private static func list(_ words: [String]) -> String {
    words.map { "`\($0)`" }.joined(separator: ", ")
  }

  // MARK: - Texts

  private static let patterns = ManualPage.Section(
    "Names and paths",
    [
      .paragraph(
        """
        `name:` and `path:` look for a part, or for a pattern if there is `*`, `?`, `[…]` or `{a,b}` in the \
        value. A pattern is for the whole name or path. After `name:=` or `path:=` stands a whole one, in \
        which nothing is a pattern. Paths begin below the root; a value that begins with a slash is \
        compared with the absolute path. `*` and `?` stop at a slash in paths; `**` does not.
        """),
      .table(
        ["Query", "Finds", "Does not find"],
        [
          ["name:port1.", "`report1.txt`", "`Report10.txt`"],
          ["name:=icon.png", "`icon.png`", "`old-icon.png`"],
          ["path:app/*/main.swift", "`app/Sources/main.swift`", "`OldSources/main.swift`"],
          ["path:app/**", "`app/Sources/main.swift`", "`report1.txt`"],
          ["regex:^report[0-9]+", "`report1.txt`, `Report10.txt`", "`re-port.txt`"],
          ["ext:swift,orig", "`main.swift`, `main.swift.orig`", "`icon.png`"],
        ]),
      .paragraph(
        """
        `ext:` is the text after the last dot: of `a.tar.gz` it is `gz`. A name that begins with its only \
        dot, or ends with one, has no extension.
        """),
    ])

  private static let letters = ManualPage.Section(
    "Small and capital letters",
    [
      .paragraph(
        """
        Small and capital letters are the same, and so are the ways in which Unicode writes é, unless \
        `case:yes` stands in the query. It is about all of it, and so it stands outside of parentheses.
        """),
      .table(
        ["Query", "Finds", "Does not find"],
        [
          ["REPORT1*", "`report1.txt`, `Report10.txt`", "`report4.txt`"],
          ["case:yes report1*", "`report1.txt`", "`Report10.txt`"],
        ]),
    ])

  private static let quotes = ManualPage.Section(
    "Quotes and backslashes",
    [
      .paragraph(
        #"""
        Between double quotes stand spaces, parentheses and operators. A backslash makes the next \#
        character literal, also there. `\n`, `\r`, `\t` and `\u{9b}` are characters, `\xff` is a byte that \#
        is no part of one. So every name can be asked for.
        """#),
      .table(
        ["Query", "Finds", "Does not find"],
        [
          ["\"a (b)\"", "`a (b).txt`", "`b.txt`"],
          [#"2\*2"#, "`2*2.txt`", "`2and2.txt`"],
          ["\"OR\"", "`OR.txt`", "`b.txt`"],
        ]),
    ])

  // MARK: - Around it

  private static let saved = ManualPage.Section(
    "Saved searches",
    [
      .paragraph(
        """
        `filecat find --save NAME QUERY` keeps a query in the catalog, with `--in`, `-d` and \
        `--sort`. `filecat find @NAME` asks it, with further terms behind it or without. `filecat find --saved` \
        lists them all.
        """)
    ])

  private static let mistakes = ManualPage.Section(
    "Mistakes",
    [
      .paragraph(
        """
        A query that does not parse ends with exit status 64. The fault is shown with a caret under it, \
        with what was expected there and the nearest word that is known. If nothing is found, the exit \
        status is 1.
        """)
    ])

  private static let examples = ManualPage.Section(
    "Examples",
    [
      .table(
        ["Command", "Finds"],
        [
          ["filecat find readme", "Names with “readme” in them."],
          ["filecat find '*.swift' 'size:>10k'", "Swift files of more than 10 KiB."],
          ["filecat find 'kind:image modified:<7d'", "Pictures that were changed within a week."],
          [
            "filecat find 'kind:video size:>1G accessed:>1y'",
            "Large videos that nobody has looked at for a year.",
          ],
          ["filecat find 'ext:log | ext:tmp' '!owner:root'", "Logs and temporary files of users."],
          ["filecat find 'kind:file empty:yes'", "Files without content."],
          ["filecat find 'kind:directory name:node_modules'", "Directories by their name."],
          ["filecat find 'broken:yes'", "Links that lead nowhere."],
          ["filecat find 'mode:/022 kind:file'", "Files that others may write."],
          ["filecat find 'links:>1 size:>1M'", "Large files with several names."],
          ["filecat find 'is:public.source-code modified:today'", "Source code of today."],
          [
            "filecat find 'created:2026-01..2026-03' --sort=-size --limit 10",
            "The largest of a quarter.",
          ],
          [
            "filecat find -c 'kind:file depth:1'",
            "How many files there are directly in the roots.",
          ],
        ])
    ])
}

extension Filter.Kind {
  /// Whether the kind is decided by the type of an entry.
  fileprivate var conformsToTypes: Bool {
    switch test {
    case .conformance: true
    case .structure: false
    }
  }
}
