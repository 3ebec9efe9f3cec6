-- A catalog: every entry of the roots that were scanned, as of their last complete scan.
--
-- The tables may change between versions. The views are the public face: they only grow, and the
-- stock sqlite3 program reads them without any extension.
--
-- Names and paths are TEXT; where they are not valid UTF-8 they are BLOBs with the exact bytes.
-- Times are nanoseconds since 1970-01-01 UTC in the tables, seconds and nanoseconds in the views.

-- A file system that entries live on. Its identity outlasts a remount, its device number may not.
CREATE TABLE volumes (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  device INTEGER NOT NULL
);

CREATE TABLE roots (
  id INTEGER PRIMARY KEY,
  path NOT NULL UNIQUE,
  given_path NOT NULL,
  entry_id INTEGER,
  volume_id INTEGER REFERENCES volumes(id),
  settings TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'online',
  last_scan_id INTEGER
);

-- One row an entry. kind: 1 file, 2 directory, 3 package, 4 symlink, 5 fifo, 6 socket,
-- 7 block device, 8 character device. traits: 1 no values known, 2 broken link, 4 package.
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  parent_id INTEGER,
  name TEXT NOT NULL,
  kind INTEGER NOT NULL,
  type_id INTEGER NOT NULL,
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
  volume_id INTEGER,
  attributes INTEGER,
  traits INTEGER NOT NULL,
  first_seen_scan INTEGER NOT NULL,
  last_changed_scan INTEGER NOT NULL
);
CREATE UNIQUE INDEX entries_by_parent ON entries(parent_id, name);
CREATE INDEX entries_by_type ON entries(type_id);

-- What only directories have; id is the entry's. The full path stands here once, never per file.
CREATE TABLE folders (
  id INTEGER PRIMARY KEY,
  root_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  depth INTEGER NOT NULL
);
CREATE INDEX folders_by_path ON folders(path);

-- Sums over the direct children (files, directories, size, allocated) and over everything below.
-- In allocated bytes a file with several names counts once wherever sums meet; a directory's total
-- includes its own blocks, as du's does. state: 0 complete, 1 unreadable, 2 unscanned.
CREATE TABLE folder_totals (
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
  newest_modified INTEGER
);

CREATE TABLE symlinks (
  id INTEGER PRIMARY KEY,
  target TEXT NOT NULL
);

-- How many files a package holds; its bytes are in its entry.
CREATE TABLE packages (
  id INTEGER PRIMARY KEY,
  files INTEGER NOT NULL
);

-- The files inside packages that have several names: other names may be outside.
CREATE TABLE packaged_links (
  package_id INTEGER NOT NULL,
  volume_id INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  allocated INTEGER NOT NULL
);

CREATE TABLE users (uid INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE groups (gid INTEGER PRIMARY KEY, name TEXT NOT NULL);

-- Further values of entries, stored by resource value providers: extended attributes and the like.
CREATE TABLE entry_values (
  entry_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  value,
  PRIMARY KEY (entry_id, key)
) WITHOUT ROWID;

-- Uniform types. flags: 1 package, 2 bundle, 4 dynamic, 8 declared by nobody any more: the row stays
-- so that the type gets its number back when it returns, but it is no type of the catalog.
CREATE TABLE uniform_types (
  id INTEGER PRIMARY KEY,
  identifier TEXT NOT NULL UNIQUE COLLATE NOCASE,
  description TEXT,
  flags INTEGER NOT NULL,
  source TEXT NOT NULL
);
CREATE TABLE uniform_type_conformance (
  ancestor_id INTEGER NOT NULL,
  type_id INTEGER NOT NULL,
  PRIMARY KEY (ancestor_id, type_id)
) WITHOUT ROWID;
CREATE TABLE uniform_type_tags (
  class TEXT NOT NULL,
  tag TEXT NOT NULL COLLATE NOCASE,
  rank INTEGER NOT NULL,
  type_id INTEGER NOT NULL,
  PRIMARY KEY (class, tag, rank, type_id)
) WITHOUT ROWID;

-- What the first bytes of files said, for roots whose files are typed by content where names do not
-- settle it. A result counts as long as size and modified are those of the file; type_id 0: the
-- bytes say nothing.
CREATE TABLE sniffed_types (
  root_id INTEGER NOT NULL,
  volume_id INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  type_id INTEGER NOT NULL,
  PRIMARY KEY (root_id, volume_id, inode)
) WITHOUT ROWID;

CREATE TABLE scan_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  root_id INTEGER,
  root NOT NULL,
  started INTEGER NOT NULL,
  finished INTEGER,
  state TEXT NOT NULL,
  entries INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0,
  modified INTEGER NOT NULL DEFAULT 0,
  moved INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE scan_failures (
  id INTEGER PRIMARY KEY,
  scan_id INTEGER NOT NULL REFERENCES scan_log(id) ON DELETE CASCADE,
  path NOT NULL,
  operation TEXT NOT NULL,
  errno INTEGER NOT NULL,
  message TEXT NOT NULL
);
CREATE INDEX scan_failures_by_scan ON scan_failures(scan_id);

-- What a catalog remembers about itself.
CREATE TABLE catalog_settings (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Views -----------------------------------------------------------------------------------------

-- Everything known of an entry, with the numbers that queries compare instead of words.
CREATE VIEW entry_rows AS
SELECT
  e.id,
  ifnull(d.root_id, (SELECT r.id FROM roots r WHERE r.entry_id = e.id)) AS root_id,
  (SELECT r.path FROM roots r
    WHERE r.id = ifnull(d.root_id, (SELECT q.id FROM roots q WHERE q.entry_id = e.id))) AS root,
  e.parent_id,
  d.path AS directory,
  e.name,
  CASE
    WHEN d.id IS NULL THEN (SELECT o.path FROM folders o WHERE o.id = e.id)
    WHEN d.path = '/' THEN '/' || e.name
    ELSE d.path || '/' || e.name
  END AS path,
  CASE e.kind
    WHEN 1 THEN 'file' WHEN 2 THEN 'directory' WHEN 3 THEN 'package' WHEN 4 THEN 'symlink'
    WHEN 5 THEN 'fifo' WHEN 6 THEN 'socket' WHEN 7 THEN 'block_device'
    WHEN 8 THEN 'character_device'
  END AS kind,
  (SELECT t.identifier FROM uniform_types t WHERE t.id = e.type_id) AS type,
  -- The text after the last dot. Names that are not UTF-8 are searched byte by byte, from the end.
  -- In all others, what remains when the longest ending without a dot is taken off
  -- is the part up to and with that dot.
  CASE
    WHEN typeof(e.name) = 'blob' THEN (
      WITH RECURSIVE bytes(i) AS (
        SELECT length(e.name)
        UNION ALL
        SELECT i - 1 FROM bytes WHERE i > 1 AND substr(e.name, i, 1) <> x'2e'
      )
      SELECT CASE
        WHEN min(i) > 1 AND min(i) < length(e.name)
          AND instr(substr(e.name, min(i) + 1), x'20') = 0
        THEN CAST(substr(e.name, min(i) + 1) AS TEXT)
      END
      FROM bytes)
    WHEN length(rtrim(CAST(e.name AS TEXT), replace(CAST(e.name AS TEXT), '.', ''))) > 1
    THEN nullif(
      CASE
        WHEN instr(substr(CAST(e.name AS TEXT), length(rtrim(CAST(e.name AS TEXT),
          replace(CAST(e.name AS TEXT), '.', ''))) + 1), ' ') = 0
        THEN substr(CAST(e.name AS TEXT), length(rtrim(CAST(e.name AS TEXT),
          replace(CAST(e.name AS TEXT), '.', ''))) + 1)
      END, '')
  END AS extension,
  e.size,
  e.allocated,
  (e.created - (e.created % 1000000000 + 1000000000) % 1000000000) / 1000000000 AS created,
  (e.modified - (e.modified % 1000000000 + 1000000000) % 1000000000) / 1000000000 AS modified,
  (e.changed - (e.changed % 1000000000 + 1000000000) % 1000000000) / 1000000000 AS changed,
  (e.accessed - (e.accessed % 1000000000 + 1000000000) % 1000000000) / 1000000000 AS accessed,
  e.created AS created_ns,
  e.modified AS modified_ns,
  e.changed AS changed_ns,
  e.accessed AS accessed_ns,
  e.mode,
  e.uid,
  e.gid,
  (SELECT u.name FROM users u WHERE u.uid = e.uid) AS owner,
  (SELECT g.name FROM groups g WHERE g.gid = e.gid) AS group_name,
  e.inode,
  (SELECT v.device FROM volumes v WHERE v.id = e.volume_id) AS device,
  e.links,
  e.attributes AS flags,
  substr(CAST(e.name AS TEXT), 1, 1) = '.' AS is_hidden,
  (e.traits & 4) <> 0 AS is_package,
  (SELECT s.target FROM symlinks s WHERE s.id = e.id) AS link_target,
  ifnull(d.depth + 1, 0) AS depth,
  e.first_seen_scan,
  e.last_changed_scan,
  e.kind AS kind_id,
  e.type_id,
  e.traits
FROM entries e LEFT JOIN folders d ON d.id = e.parent_id;

CREATE VIEW files AS
SELECT
  id, root_id, root, parent_id, directory, name, path, kind, type, extension, size, allocated,
  created, modified, changed, accessed, created_ns, modified_ns, changed_ns, accessed_ns,
  mode, uid, gid, owner, group_name, inode, device, links, flags, is_hidden, is_package,
  link_target, depth, first_seen_scan, last_changed_scan
FROM entry_rows;

CREATE VIEW directories AS
SELECT
  d.id, d.root_id, d.path, d.depth,
  t.files, t.directories, t.size, t.allocated,
  t.total_files, t.total_directories, t.total_size, t.total_allocated,
  (t.newest_modified - (t.newest_modified % 1000000000 + 1000000000) % 1000000000) / 1000000000
    AS newest_modified,
  CASE t.state WHEN 0 THEN 'complete' WHEN 1 THEN 'unreadable' WHEN 2 THEN 'unscanned' END AS state,
  t.error
FROM folders d JOIN folder_totals t ON t.id = d.id;

CREATE VIEW types AS
SELECT
  identifier,
  description,
  (flags & 1) <> 0 AS is_package,
  (flags & 4) <> 0 AS is_dynamic,
  source
FROM uniform_types
WHERE flags & 8 = 0;

CREATE VIEW type_conformance AS
SELECT t.identifier AS identifier, a.identifier AS ancestor
FROM uniform_type_conformance c
JOIN uniform_types t ON t.id = c.type_id
JOIN uniform_types a ON a.id = c.ancestor_id;

CREATE VIEW type_tags AS
SELECT t.identifier AS identifier, g.class AS class, g.tag AS tag, g.rank AS rank
FROM uniform_type_tags g JOIN uniform_types t ON t.id = g.type_id;

CREATE VIEW resource_values AS
SELECT v.entry_id, f.path, v.key, v.value
FROM entry_values v JOIN entry_rows f ON f.id = v.entry_id;

CREATE VIEW scans AS
SELECT
  id, root_id, root,
  started / 1000000000 AS started_at,
  finished / 1000000000 AS finished_at,
  state, entries, added, removed, modified, moved, errors,
  (finished - started) / 1e9 AS seconds
FROM scan_log;

CREATE VIEW scan_errors AS
SELECT scan_id, path, operation, errno, message FROM scan_failures;
