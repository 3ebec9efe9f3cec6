-- The tables of a catalog: every entry of the roots that were scanned, as of their last complete
-- scan, and the history of what changed.
--
-- Tables may change between versions, by a further numbered file beside this one. What others
-- select from are the views (views.sql), which only grow.
--
-- Every TEXT that views show is valid UTF-8. Where the bytes of a path are not, the column path has
-- U+FFFD for what is wrong, path_bytes the exact bytes, which is NULL otherwise, and exact_path is
-- the one that is right. Names of entries are the exception, for each has one: see _odd_names.
-- Times are nanoseconds since 1970-01-01 UTC.

-- Entries -----------------------------------------------------------------------------------------

-- A file system that entries live on. Its identity outlasts a remount, its device number may not.
CREATE TABLE _volumes (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  device INTEGER NOT NULL
);

-- changed_scan_id: the last scan that wrote more than that it took place; what readers hold stays
-- good until the next.
-- listed_from: when the last scan of the whole root began, in nanoseconds; every directory was read
-- since, or was found to be as it was read before. NULL: not known. quick_scan_id: the first quick scan
-- since everything was read.
CREATE TABLE _roots (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  path_bytes BLOB,
  exact_path AS (ifnull(path_bytes, path)) UNIQUE,
  given_path NOT NULL,
  entry_id INTEGER,
  volume_id INTEGER REFERENCES _volumes(id),
  settings TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'online',
  last_scan_id INTEGER,
  changed_scan_id INTEGER,
  listed_from INTEGER,
  quick_scan_id INTEGER
);

-- What an entry can be.
CREATE TABLE _kinds (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
INSERT INTO _kinds VALUES
  (1, 'file'), (2, 'directory'), (3, 'package'), (4, 'symlink'), (5, 'fifo'), (6, 'socket'),
  (7, 'block_device'), (8, 'character_device');

-- The texts after the last dots of names.
CREATE TABLE _extensions (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  name_bytes BLOB,
  exact_name AS (CAST(ifnull(name_bytes, name) AS TEXT)) UNIQUE
);

-- One row an entry. The name is TEXT, or a BLOB with the exact bytes where it is not valid UTF-8.
-- What follows from the name alone stands behind it, so that no reader has to take names apart:
--   extension_id NULL where there is no extension.
--   name_shape   1 where the name begins with a dot; and twice how much of it is behind the stem of
--                an asset, its marks and its extension: characters of TEXT, bytes of a BLOB.
--   asset_key    the same for the variants of an asset and for the name without marks: 24 bits of
--                the FNV-1a hash of the name without marks. A row and an index have it, and whoever
--                finds an entry by it looks at the name as well.
-- traits: 1 no values known, 2 broken link, 4 package.
CREATE TABLE _entries (
  id INTEGER PRIMARY KEY,
  parent_id INTEGER,
  name TEXT NOT NULL,
  extension_id INTEGER,
  name_shape INTEGER NOT NULL,
  asset_key INTEGER NOT NULL,
  type_id INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  size INTEGER,
  allocated INTEGER,
  created INTEGER,
  modified INTEGER,
  changed INTEGER,
  accessed INTEGER,
  mode INTEGER,
  uid INTEGER,
  gid INTEGER,
  inode INTEGER,
  links INTEGER,
  attributes INTEGER,
  volume_id INTEGER,
  traits INTEGER NOT NULL,
  first_seen_scan INTEGER NOT NULL,
  last_changed_scan INTEGER NOT NULL
);
CREATE UNIQUE INDEX entries_by_parent ON _entries(parent_id, name);
CREATE INDEX entries_by_type ON _entries(type_id);
CREATE INDEX entries_by_asset ON _entries(asset_key);
-- The files that have several names.
CREATE INDEX entries_linked ON _entries(volume_id, inode, parent_id, allocated)
  WHERE links > 1 AND kind NOT IN (2, 3);

-- How the names that are not valid UTF-8 are shown, by the id of the entry: with U+FFFD for what is
-- wrong. bytes: the name itself. tail and ending: how many characters are behind the stem of an
-- asset, and in what follows all its marks; see name_shape and _assets.
CREATE TABLE _odd_names (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  bytes BLOB NOT NULL,
  tail INTEGER NOT NULL,
  ending INTEGER NOT NULL
);

-- The names of all entries once more, in blocks, to be searched without reading rows. A block has the
-- entries whose ids are the same but for the last ten bits: its id is (_entries.id >> 10) + 1. names:
-- their exact bytes in the order of ids, each ended by a zero byte, and nothing before it where there is
-- no entry; compressed by zstd, 256 ids at a time. Before them, for each 256 ids, 250 bytes that say as
-- _name_trigrams does what runs they hold, with one bit in place of four. A block that is not there, or
-- noted in _name_gaps, as some of its names have changed since, has its names in the rows.
CREATE TABLE _name_blocks (
  id INTEGER PRIMARY KEY,
  names BLOB NOT NULL
);
-- Which runs of three bytes the names of a block hold, upper case letters of ASCII as lower case ones;
-- of those that are not ASCII also the folded and composed form. The 24 bits of a run, the first byte the
-- highest, times 2654435761, cut to 32 bits, times 8000, divided by 2^32, is the number of its bit; the
-- bits of a byte begin with the lowest.
CREATE TABLE _name_trigrams (
  id INTEGER PRIMARY KEY,
  trigrams BLOB NOT NULL
);
CREATE TABLE _name_gaps (id INTEGER PRIMARY KEY);

-- What only directories have; id is the entry's. The full path stands here once, never per file.
-- Rescans find directories by where they are and by which they are: parent_id and inode.
-- place_id: where it is among the containers, which what is in it inherits. 0: in none. NULL until
-- the end of the scan that has written the path.
CREATE TABLE _directory_paths (
  id INTEGER PRIMARY KEY,
  root_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  depth INTEGER NOT NULL,
  parent_id INTEGER,
  inode INTEGER NOT NULL,
  place_id INTEGER,
  path_bytes BLOB,
  exact_path AS (ifnull(path_bytes, path))
);
CREATE INDEX directories_by_path ON _directory_paths(path);
CREATE INDEX directories_unplaced ON _directory_paths(id) WHERE place_id IS NULL;

-- Sums over the direct children (files, directories, size, allocated) and over everything below.
-- In allocated bytes a file with several names counts once wherever sums meet; a directory's total
-- includes its own blocks, as du's does. state: 0 complete, 1 unreadable, 2 unscanned.
-- newest_modified: of everything below; own_newest: of the direct children. The fingerprint (128
-- bits in two halves) tells the listing of a directory from any other; NULL where the listing has
-- to be compared row by row.
CREATE TABLE _directory_totals (
  id INTEGER PRIMARY KEY,
  state INTEGER NOT NULL,
  error TEXT,
  files INTEGER NOT NULL,
  directories INTEGER NOT NULL,
  size INTEGER NOT NULL,
  allocated INTEGER NOT NULL,
  total_files INTEGER NOT NULL,
  total_directories INTEGER NOT NULL,
  total_size INTEGER NOT NULL,
  total_allocated INTEGER NOT NULL,
  newest_modified INTEGER,
  own_newest INTEGER,
  fingerprint_high INTEGER,
  fingerprint_low INTEGER
);

CREATE TABLE _symlinks (
  id INTEGER PRIMARY KEY,
  target TEXT NOT NULL,
  target_bytes BLOB,
  exact_target AS (ifnull(target_bytes, target))
);

-- How many files a package holds; its bytes are in its entry. fingerprint: what tells its content
-- from any other; NULL where it is not known. place_id: where a package is that is itself the
-- directory of a role; of others NULL.
CREATE TABLE _packages (
  id INTEGER PRIMARY KEY,
  files INTEGER NOT NULL,
  fingerprint INTEGER,
  place_id INTEGER
);
CREATE INDEX packages_placed ON _packages(place_id) WHERE place_id IS NOT NULL;

-- The files inside packages that have several names: other names may be outside.
CREATE TABLE _packaged_links (
  id INTEGER PRIMARY KEY,
  package_id INTEGER NOT NULL,
  volume_id INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  allocated INTEGER NOT NULL
);
CREATE INDEX packaged_links_by_package ON _packaged_links(package_id);

-- What the entries of one kind, type, extension (0: none) and owner (-1: not known) come to, for
-- reports on usage: their number, the bytes of what is no directory, and the bytes on disk of all
-- their names. Follows from _entries.
CREATE TABLE _usage_sums (
  kind INTEGER NOT NULL,
  type_id INTEGER NOT NULL,
  extension_id INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  size INTEGER NOT NULL,
  allocated INTEGER NOT NULL,
  PRIMARY KEY (kind, type_id, extension_id, uid)
) WITHOUT ROWID;

-- The same for the entries of one kind that were modified in one hour: modified_hour is when it began, in
-- nanoseconds (1: not known).
CREATE TABLE _usage_hours (
  kind INTEGER NOT NULL,
  modified_hour INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  size INTEGER NOT NULL,
  allocated INTEGER NOT NULL,
  PRIMARY KEY (kind, modified_hour)
) WITHOUT ROWID;

-- The same for the entries of one kind in one place among the containers: a directory counts where it is
-- itself, anything else where the directory is that it is in. -1: not known.
CREATE TABLE _usage_places (
  kind INTEGER NOT NULL,
  place_id INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  size INTEGER NOT NULL,
  allocated INTEGER NOT NULL,
  PRIMARY KEY (kind, place_id)
) WITHOUT ROWID;

-- What the marks in names say of the variants of assets. Depends on the name alone, so it is there
-- for directories as well. extension_length: of what follows all marks, such as tar.gz; in the unit
-- of _entries.name_shape.
CREATE TABLE _assets (
  id INTEGER PRIMARY KEY,
  extension_length INTEGER NOT NULL,
  scale NUMERIC,
  idiom TEXT,
  height INTEGER,
  hd INTEGER NOT NULL
);

CREATE TABLE _users (uid INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE _groups (gid INTEGER PRIMARY KEY, name TEXT NOT NULL);

-- Further values of entries: extended attributes and the like. provider_id: who has read the value in the
-- content of the file; NULL for what a walk has stored.
CREATE TABLE _entry_values (
  entry_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  value,
  provider_id INTEGER,
  PRIMARY KEY (entry_id, key)
) WITHOUT ROWID;

-- Who reads values in the content of files. Another version would say something else of the same file.
CREATE TABLE _content_providers (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL
);
-- What was read by whom, and what the file was then: as long as it is, it is not read again.
-- state: 0 read, 1 read, and it is not what it says it is, 2 it could not be read.
CREATE TABLE _content_readings (
  entry_id INTEGER NOT NULL,
  provider_id INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  state INTEGER NOT NULL,
  PRIMARY KEY (entry_id, provider_id)
) WITHOUT ROWID;

-- Types -------------------------------------------------------------------------------------------

-- Uniform types. flags: 1 package, 2 bundle, 4 dynamic, 8 declared by nobody any more: the row
-- stays so that the type gets its number back when it returns, but it is no type of the catalog.
CREATE TABLE _uniform_types (
  id INTEGER PRIMARY KEY,
  identifier TEXT NOT NULL UNIQUE COLLATE NOCASE,
  description TEXT,
  flags INTEGER NOT NULL,
  source TEXT NOT NULL
);
CREATE TABLE _uniform_type_conformance (
  ancestor_id INTEGER NOT NULL,
  type_id INTEGER NOT NULL,
  PRIMARY KEY (ancestor_id, type_id)
) WITHOUT ROWID;
-- rank -1: what the system's layer said about a rule for names that no type declares.
CREATE TABLE _uniform_type_tags (
  class TEXT NOT NULL,
  tag TEXT NOT NULL COLLATE NOCASE,
  rank INTEGER NOT NULL,
  type_id INTEGER NOT NULL,
  PRIMARY KEY (class, tag, rank, type_id)
) WITHOUT ROWID;

-- What the first bytes of files said, for roots whose files are typed by content where names do not
-- settle it. A result counts as long as size and modified are those of the file; type_id 0: the
-- bytes say nothing.
CREATE TABLE _sniffed_types (
  root_id INTEGER NOT NULL,
  volume_id INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  type_id INTEGER NOT NULL,
  PRIMARY KEY (root_id, volume_id, inode)
) WITHOUT ROWID;

-- Scans and history -------------------------------------------------------------------------------

-- is_first: of a root, the scan before all others: everything was new. origin: who made the changes
-- that a scan found, where a program has told.
CREATE TABLE _scan_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  root_id INTEGER,
  root TEXT NOT NULL,
  root_bytes BLOB,
  started INTEGER NOT NULL,
  finished INTEGER,
  state TEXT NOT NULL,
  entries INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0,
  modified INTEGER NOT NULL DEFAULT 0,
  moved INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  is_first INTEGER NOT NULL DEFAULT 0,
  origin TEXT
);
CREATE TABLE _scan_failures (
  id INTEGER PRIMARY KEY,
  scan_id INTEGER NOT NULL REFERENCES _scan_log(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  path_bytes BLOB,
  operation TEXT NOT NULL,
  errno INTEGER NOT NULL,
  message TEXT NOT NULL
);
CREATE INDEX scan_failures_by_scan ON _scan_failures(scan_id);

-- What rescans found changed. A first scan is the state that changes are counted from: it has none.
-- kind: 1 added, 2 removed, 3 modified, 4 moved. fields: columns of the view files, joined by
-- commas. is_content: no change that anybody is told of: a directory of which only its content changed
-- (kind 3), or an id that was given up for the one that the entry had in another root (kind 2).
-- By inode, what was removed from one root is found where it was added to another, or put over something
-- else there (kind 3). Of what is removed there is also all else that only its row had and that it gets back then: volume_id and created, which
-- with inode are its identity, first_seen_scan, and the tags that the catalog alone had, and that it
-- knew of the file. All NULL where no other root can have it.
CREATE TABLE _change_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  scan_id INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  entry_id INTEGER NOT NULL,
  entry_kind INTEGER NOT NULL,
  -- What it was before, where that was something else.
  old_entry_kind INTEGER,
  path TEXT NOT NULL,
  path_bytes BLOB,
  old_path TEXT,
  old_path_bytes BLOB,
  exact_path AS (ifnull(path_bytes, path)),
  exact_old_path AS (ifnull(old_path_bytes, old_path)),
  fields TEXT,
  size INTEGER,
  old_size INTEGER,
  modified INTEGER,
  old_modified INTEGER,
  is_content INTEGER NOT NULL,
  -- Whose the entry is; of what is gone whose it was.
  uid INTEGER NOT NULL,
  inode INTEGER,
  volume_id INTEGER,
  created INTEGER,
  first_seen_scan INTEGER,
  own_tags,
  file_tags
);
CREATE INDEX change_log_by_scan ON _change_log(scan_id);
CREATE INDEX change_log_by_inode ON _change_log(inode) WHERE inode IS NOT NULL;

-- By how much a scan changed the sums of a directory.
CREATE TABLE _growth_log (
  scan_id INTEGER NOT NULL,
  directory_id INTEGER NOT NULL,
  root_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  path_bytes BLOB,
  depth INTEGER NOT NULL,
  files INTEGER NOT NULL,
  directories INTEGER NOT NULL,
  size INTEGER NOT NULL,
  allocated INTEGER NOT NULL,
  total_files INTEGER NOT NULL,
  total_directories INTEGER NOT NULL,
  total_size INTEGER NOT NULL,
  total_allocated INTEGER NOT NULL,
  PRIMARY KEY (scan_id, directory_id)
) WITHOUT ROWID;

-- What the content of files said, for finding duplicates. A row counts as long as the values beside
-- it are those of the file. Both are BLAKE2b of 32 bytes: of the first and the last block, and of
-- the whole content where that was needed.
CREATE TABLE _content_hashes (
  volume_id INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  ends BLOB NOT NULL,
  whole BLOB,
  PRIMARY KEY (volume_id, inode)
) WITHOUT ROWID;

-- Containers --------------------------------------------------------------------------------------

-- What a directory of a container is for, and what that promises of its files. Standard ones are the same on every
-- machine; stored so that any program can read it. Those that were declared have numbers from 1000 on. directory:
-- how the directory of a declared one is called, below that of the role parent_id, or below the container.
CREATE TABLE _role_policies (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  persists INTEGER NOT NULL,
  backup TEXT NOT NULL,
  purge TEXT NOT NULL,
  writer TEXT NOT NULL,
  parent_id INTEGER,
  directory TEXT
);
INSERT INTO _role_policies (id, name, persists, backup, purge, writer) VALUES
  (1, 'documents', 1, 'included', 'never', 'user'),
  (2, 'library', 1, 'included', 'never', 'application'),
  (3, 'caches', 1, 'excluded', 'low_space', 'application'),
  (4, 'application_support', 1, 'included', 'never', 'application'),
  (5, 'preferences', 1, 'included', 'never', 'settings'),
  (6, 'offline_data', 1, 'excluded', 'never', 'application'),
  (7, 'state', 1, 'included', 'never', 'application'),
  (8, 'tmp', 0, 'excluded', 'idle', 'application'),
  (9, 'resources', 1, 'excluded', 'never', 'installer');

-- The containers that somebody has registered. name: the identifier, or the path where there is
-- none or another container has the same.
CREATE TABLE _known_containers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  name_bytes BLOB,
  exact_name AS (ifnull(name_bytes, name)) UNIQUE,
  style TEXT NOT NULL,
  path TEXT NOT NULL,
  path_bytes BLOB,
  exact_path AS (ifnull(path_bytes, path)) UNIQUE,
  identifier TEXT
);

-- Where a container has the directories of a role, if that is not where its style has them; without
-- a path: nowhere. Paths that are not absolute begin at the container.
CREATE TABLE _container_directories (
  container_id INTEGER NOT NULL,
  role_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  path,
  PRIMARY KEY (container_id, role_id, position)
) WITHOUT ROWID;

-- A role in a container, or what is in a container and has no role. Directories refer to it.
CREATE TABLE _places (
  id INTEGER PRIMARY KEY,
  container_id INTEGER NOT NULL,
  role_id INTEGER
);
CREATE INDEX places_by_container ON _places(container_id, role_id);

-- What the files called CACHEDIR.TAG contain, as of their size and time of modification.
CREATE TABLE _cache_tags (
  id INTEGER PRIMARY KEY,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  is_tag INTEGER NOT NULL
);

-- The catalog itself ------------------------------------------------------------------------------

-- What a catalog remembers about itself.
CREATE TABLE _catalog_settings (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Searches that people have given a name. Query and order are stored as the text that people
-- write, so that what is stored can be read, and be understood by later versions. levels: on
-- which to look below the directories of the search, as a depth; NULL: on all. sort NULL: in the order
-- of paths.
CREATE TABLE _saved_searches (
  name TEXT PRIMARY KEY,
  query TEXT NOT NULL,
  levels TEXT,
  sort TEXT,
  saved INTEGER NOT NULL
) WITHOUT ROWID;

-- The directories below which a search looks; one without any looks everywhere.
CREATE TABLE _searched_directories (
  id INTEGER PRIMARY KEY,
  search TEXT NOT NULL REFERENCES _saved_searches(name) ON DELETE CASCADE,
  path TEXT NOT NULL,
  path_bytes BLOB
);
