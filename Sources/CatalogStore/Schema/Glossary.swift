/// What the columns of the views mean: each name once, for all views that have it, and where a view
/// means something of its own by a name, as `view.column`.
package enum Glossary {
  package struct Term: Sendable {
    package let form: ValueForm
    package let meaning: String
  }

  /// What a column of a view means; `nil` where nothing is said.
  package static func term(_ column: String, of view: String) -> Term? {
    terms["\(view).\(column)"] ?? terms[column]
  }

  package static let terms: [String: Term] = Dictionary(
    uniqueKeysWithValues: (ofFiles + ofSums + ofScans + ofTypes + ofReports + ofContainers).map {
      ($0.0, Term(form: $0.1, meaning: $0.2))
    })

  private typealias Line = (String, ValueForm, String)

  /// Those of the view `files`, in its own words.
  private static let ofFiles: [Line] = EntryColumn.allCases.map {
    ($0.rawValue, $0.form, $0.meaning)
  }

  private static let ofSums: [Line] = [
    ("directories.id", .identifier, "The number of the directory's entry."),
    ("directories.files", .number, "Entries directly in it that are not directories."),
    ("directories.directories", .number, "Directories directly in it."),
    ("directories.size", .bytes, "Bytes of the files directly in it."),
    ("directories.allocated", .bytes, "Bytes on the disk of what is directly in it."),
    ("directories.total_files", .number, "Entries below it that are not directories."),
    ("total_directories", .number, "Directories below it."),
    ("directories.total_size", .bytes, "Bytes of everything below it that is not a directory."),
    (
      "directories.total_allocated", .bytes,
      "Bytes on the disk of everything below it and of itself, each file once."
    ),
    ("newest_modified", .seconds, "The latest change of the content of anything below it."),
    ("state", .text, "complete, unreadable or unscanned."),
    ("roots.id", .identifier, "The number of the root."),
    ("roots.path", .path, "Where it is, without symbolic links."),
    ("roots.state", .text, "online or offline: whether it was there for its last scan."),
    ("roots.total_size", .bytes, "Bytes of everything in it that is not a directory."),
    ("roots.total_allocated", .bytes, "Bytes on the disk of everything in it, each file once."),
    ("last_scan", .identifier, "The last scan that was written."),
    ("last_scan_at", .seconds, "When that scan ended."),
    ("last_scan_state", .text, "complete, quick or partial."),
    ("excludes", .text, "The globs of what is left out, as a JSON array."),
    ("one_file_system", .truth, "Whether other file systems below it are left alone."),
    ("shallow", .truth, "Whether its directories are left alone."),
    ("include_packages", .truth, "Whether packages are entered like other directories."),
    ("gitignore", .truth, "Whether what Git ignores is left out."),
    (
      "skip_fs", .text,
      "The types of file systems below it that are left alone, with commas between them, or none; "
        + "pseudo is what the system makes up, such as proc."
    ),
    ("error", .text, "Why it could not be read."),
    ("files", .number, "Entries that are not directories; a package counts the files it holds."),
    ("directories", .number, "Directories."),
    ("entries", .number, "Entries of all kinds."),
  ]

  private static let ofScans: [Line] = [
    ("scans.id", .identifier, "The number of the scan. Later ones have higher numbers."),
    ("scan_id", .identifier, "The number of the scan."),
    ("started_at", .seconds, "When the scan began."),
    ("finished_at", .seconds, "When the scan ended; NULL while it runs."),
    ("at", .seconds, "When the scan ended."),
    ("scans.state", .text, "running, complete, quick, partial, failed or interrupted."),
    ("scans.entries", .number, "The entries of the root when the scan ended."),
    ("added", .number, "Entries that were new."),
    ("removed", .number, "Entries that were gone."),
    ("scans.modified", .number, "Entries whose values had changed."),
    ("moved", .number, "Entries that had another path."),
    ("errors", .number, "What could not be read."),
    ("seconds", .duration, "How long it took."),
    ("operation", .text, "What could not be done."),
    ("errno", .identifier, "The number of the system's error."),
    ("message", .text, "The system's words."),
    ("changes.id", .identifier, "The number of the change."),
    ("changes.kind", .text, "added, removed, modified or moved."),
    ("entry_kind", .text, "What the entry is, as files.kind."),
    ("old_path", .path, "Where it was before the scan, if it has moved."),
    ("old_path_bytes", .octets, "The exact bytes of old_path where it is not UTF-8, else NULL."),
    ("fields", .text, "The columns of files that differ, with commas between them."),
    ("changes.size", .bytes, "The length of the content now, or when it was removed."),
    ("old_size", .bytes, "The length of the content before; NULL where it is new."),
    ("old_modified_ns", .nanoseconds, "The last change of the content before."),
    ("directory_id", .identifier, "The number of the directory's entry."),
    ("growth_by_directory.files", .number, "By how much the files directly in it became more."),
    (
      "growth_by_directory.directories", .number,
      "By how much the directories directly in it became more."
    ),
    ("growth_by_directory.size", .bytes, "By how much the files directly in it grew."),
    ("growth_by_directory.allocated", .bytes, "By how much what is directly in it takes more."),
    ("growth_by_directory.total_files", .number, "By how much the files below it became more."),
    (
      "growth_by_directory.total_directories", .number,
      "By how much the directories below it became more."
    ),
    ("growth_by_directory.total_size", .bytes, "By how much the files below it grew."),
    ("growth_by_directory.total_allocated", .bytes, "By how much everything below it takes more."),
  ]

  private static let ofTypes: [Line] = [
    ("identifier", .text, "The uniform type identifier."),
    ("description", .text, "What people call the type."),
    ("types.is_package", .truth, "Whether directories of the type are seen as one item."),
    ("is_dynamic", .truth, "Whether nobody declares the type: it stands for an extension."),
    ("source", .text, "Who declares it."),
    ("ancestor", .text, "A type that it conforms to; itself among them."),
    ("class", .text, "What the tag is, such as a filename extension."),
    ("tag", .text, "The extension or the MIME type."),
    ("rank", .number, "0 for the preferred tag of its class, then upwards."),
  ]

  private static let ofReports: [Line] = [
    ("entry_id", .identifier, "The number of the entry."),
    ("rowid", .identifier, "A number for Datasette, which shows no bytes without one."),
    (
      "key", .text,
      "The name of the value, such as xattr:user.comment; a column of it is value:KEY or xattr:NAME."
    ),
    ("value", .any, "The value."),
    ("sha256", .text, "The SHA-256 of the content, as sha256sum prints it."),
    ("acl", .text, "The access control list as getfacl prints it, with commas between its lines."),
    ("default_acl", .text, "The list that what is made in the directory gets."),
    ("capabilities", .text, "What the program may do, as getcap prints it."),
    ("origin_url", .text, "The address that it was loaded from."),
    ("referrer_url", .text, "The address of the page that led there."),
    ("quarantine", .text, "What macOS keeps of a file from elsewhere."),
    ("pixel_width", .number, "The width in pixels, as stored."),
    ("pixel_height", .number, "The height in pixels, as stored."),
    ("orientation", .number, "How it is to be turned, from 1 to 8 as Exif counts; 1: not at all."),
    ("color_depth", .number, "Bits of a pixel, with those of its opacity."),
    ("date_taken", .text, "When it was taken, by the clock of the camera."),
    ("camera", .text, "The camera."),
    ("values_media.duration", .factor, "How long it plays, in seconds."),
    ("video_codec", .text, "How pictures are encoded."),
    ("audio_codec", .text, "How sound is encoded."),
    ("sample_rate", .number, "Samples of sound in a second."),
    ("channels", .number, "Channels of sound."),
    ("title", .text, "The title."),
    ("artist", .text, "The artist."),
    ("album", .text, "The album."),
    ("page_count", .number, "How many pages or slides it has."),
    ("author", .text, "Who wrote it."),
    ("age", .text, "How long ago, in words."),
    ("size_class", .text, "How large, in words."),
    ("min_size", .bytes, "The least size; NULL for what has none."),
    ("max_size", .bytes, "The size that is not reached any more; NULL where it is open."),
    ("min_days", .number, "The least age in days of 24 hours; NULL where it is open."),
    ("max_days", .number, "The age in days that is not reached any more; NULL where it is open."),
    ("volume_id", .identifier, "The catalog's number of the file system."),
    ("names", .number, "How many of the file's names are in the catalog."),
    ("outside", .number, "How many of its names must be somewhere else."),
    ("freed", .bytes, "What is free when all names here are gone; NULL where nobody can tell."),
    ("freed_with", .path, "The directory that has to go for that at least, where one is enough."),
    (
      "freed_with_bytes", .octets,
      "The exact bytes of freed_with where it is not UTF-8, else NULL."
    ),
    ("copies", .number, "How many files have this name and this size."),
    ("wasted", .bytes, "What goes, of all copies together, when one stays."),
    ("stem", .path, "The name without marks and extension."),
    ("asset_gaps.extension", .path, "What follows all marks; empty where nothing does."),
    ("idiom", .text, "The kind of device."),
    ("height", .number, "The height of a screen in points."),
    ("hd", .truth, "Whether the names have the mark -hd."),
    ("scales", .text, "The scales that are there; 1 stands for none."),
    ("missing_scales", .text, "The scales up to the largest that are not there."),
    ("has_plain", .truth, "Whether the name without any mark exists."),
  ]

  private static let ofContainers: [Line] = [
    ("containers.id", .identifier, "The number of the container."),
    ("container_id", .identifier, "The number of the container."),
    ("place_id", .identifier, "The number of the role in the container."),
    ("style", .text, "How the container is laid out."),
    ("containers.path", .path, "Where the container is."),
    ("containers.identifier", .text, "The identifier of the application or the group."),
    ("persists", .truth, "Whether what is there outlasts the next start of the system."),
    ("purge", .text, "When the system may delete it: never, low_space or idle."),
    ("writer", .text, "Who writes there."),
    (
      "parent_role", .text,
      "The role in whose directory a declared one has its own; NULL: in the container itself."
    ),
    (
      "directory_pattern", .text,
      "How the directory of a declared role is called, with parameters in braces; NULL: it is standard."
    ),
    ("mark", .text, "The extended attribute, or CACHEDIR.TAG."),
    ("searches.name", .text, "The name of the search."),
    ("query", .text, "The query as it was written."),
    (
      "searches.directory", .path,
      "Below which directory to look, the first if there are several; NULL: everywhere."
    ),
    (
      "levels", .text,
      "On which levels below the directories to look: 1 is what is directly in them; NULL: on all."
    ),
    ("search", .text, "The name of the search."),
    ("search_directories.path", .path, "Below which directory to look."),
    ("sort", .text, "The order; NULL: that of the paths."),
    ("saved_at", .seconds, "When it was saved."),
  ]
}
