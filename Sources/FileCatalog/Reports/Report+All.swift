extension Report {
  /// All reports.
  public static let all: [Report] = [
    Report(
      "usage_by_directory", "What each directory holds, with everything below it.",
      [
        Column("path", .path), Column("depth", .number), Column("files", .number),
        Column("directories", .number), Column("size", .bytes), Column("allocated", .bytes),
        Column("newest_modified", .seconds), Column("state", .text),
      ],
      measure: "allocated", order: "allocated DESC, path", narrowing: .paths),
    usage("usage_by_type", "What the files of each uniform type take.", "type", ["description"]),
    usage("usage_by_kind", "What files, directories, packages and links take.", "kind"),
    usage("usage_by_extension", "What the files with each extension take.", "extension"),
    Report(
      "usage_by_role", "What the files of each role of containers take, and its policy.",
      [Column("role", .text), Column("backup_policy", .text), Column("purgeable", .truth)]
        + usageColumns,
      measure: "allocated", order: "allocated DESC, role"),
    Report(
      "asset_gaps", "Variants of assets of which a scale, or the plain one, is missing.",
      [
        Column("path", .path), Column("stem", .path), Column("extension", .path),
        Column("idiom", .text), Column("height", .number), Column("hd", .truth),
        Column("scales", .text), Column("missing_scales", .text), Column("has_plain", .truth),
      ], order: "path, stem, extension, idiom, height, hd"),
    Report(
      "usage_by_owner", "What each owner's files and directories take.",
      [Column("owner", .text), Column("uid", .identifier)] + usageColumns,
      measure: "allocated", order: "allocated DESC, uid"),
    Report(
      "usage_by_age", "What was modified how long ago.",
      [Column("age", .text), Column("min_days", .number), Column("max_days", .number)]
        + usageColumns,
      // From young to old; what is in the future or unknown has no lower end and comes last.
      measure: "allocated", order: "min_days IS NULL, min_days, max_days IS NULL"),
    Report(
      "largest_files", "The thousand files and packages that take most space.",
      [
        Column("path", .path), Column("kind", .text), Column("type", .text),
        Column("size", .bytes), Column("allocated", .bytes), Column("modified", .seconds),
        Column("owner", .text), Column("links", .number),
      ],
      measure: "allocated", order: "allocated DESC, size DESC, id"),
    Report(
      "growth_by_directory", "How much each directory has gained or lost from scan to scan.",
      [
        Column("path", .path), Column("depth", .number), Column("total_files", .number),
        Column("total_directories", .number), Column("total_size", .bytes),
        Column("total_allocated", .bytes), Column("files", .number),
        Column("directories", .number), Column("size", .bytes), Column("allocated", .bytes),
      ],
      measure: "total_allocated", order: "abs(total_allocated) DESC, path", narrowing: .growth),
    Report(
      "hard_links",
      "The files with several names, and what deleting the names here would really free.",
      [
        Column("path", .path), Column("links", .number), Column("names", .number),
        Column("outside", .number), Column("size", .bytes), Column("allocated", .bytes),
        Column("freed", .bytes), Column("freed_with", .path), Column("inode", .identifier),
        Column("device", .identifier),
      ],
      measure: "allocated", order: "allocated DESC, device, inode"),
    Report(
      "hard_link_names", "Every name of the files with several names, those of a file together.",
      [
        Column("path", .path), Column("kind", .text), Column("links", .number),
        Column("allocated", .bytes), Column("inode", .identifier), Column("id", .identifier),
      ], order: "volume_id, inode, id"),
    Report(
      "broken_links", "The symbolic links that lead nowhere.",
      [
        Column("path", .path), Column("link_target", .path), Column("modified", .seconds),
        Column("owner", .text),
      ], order: "path"),
    Report(
      "duplicate_candidates", "The files of the same name and size.",
      [
        Column("path", .path), Column("name", .path), Column("size", .bytes),
        Column("copies", .number), Column("wasted", .bytes), Column("allocated", .bytes),
        Column("modified", .seconds),
      ],
      measure: "wasted", order: "wasted DESC, name, size, id"),
  ]

  private static let usageColumns = [
    Column("entries", .number), Column("files", .number), Column("size", .bytes),
    Column("allocated", .bytes),
  ]

  /// A report whose rows add up to all that there is.
  private static func usage(
    _ name: String, _ abstract: String, _ key: String, _ details: [String] = []
  ) -> Report {
    Report(
      name, abstract, ([key] + details).map { Column($0, .text) } + usageColumns,
      measure: "allocated", order: "allocated DESC, \(key)")
  }
}
