-- What rescans need to be short and to say what changed, and the history of the changes.

-- Where a directory is and which it is, beside its path: rescans find directories by both.
ALTER TABLE folders ADD COLUMN parent_id INTEGER;
ALTER TABLE folders ADD COLUMN inode INTEGER;
UPDATE folders SET (parent_id, inode) =
  (SELECT e.parent_id, e.inode FROM entries e WHERE e.id = folders.id);

-- The latest modification among the direct children, and what tells the listing of a directory from
-- any other (128 bits in two halves); NULL where the listing has to be compared row by row.
ALTER TABLE folder_totals ADD COLUMN own_newest INTEGER;
ALTER TABLE folder_totals ADD COLUMN fingerprint_high INTEGER;
ALTER TABLE folder_totals ADD COLUMN fingerprint_low INTEGER;
UPDATE folder_totals SET own_newest =
  (SELECT max(e.modified) FROM entries e WHERE e.parent_id = folder_totals.id);

-- What tells the content of a package from any other; NULL where it is not known.
ALTER TABLE packages ADD COLUMN fingerprint INTEGER;
CREATE INDEX packaged_links_by_package ON packaged_links(package_id);

-- The files that have several names.
CREATE INDEX entries_linked ON entries(volume_id, inode, parent_id, allocated)
  WHERE links > 1 AND kind NOT IN (2, 3);

-- Of a root, the scan before all others: everything was new.
ALTER TABLE scan_log ADD COLUMN is_first INTEGER NOT NULL DEFAULT 0;
-- Who made the changes that a scan found, where a program has told.
ALTER TABLE scan_log ADD COLUMN origin TEXT;

-- The last scan that wrote more than that it took place: what readers hold stays good until the next.
ALTER TABLE roots ADD COLUMN changed_scan_id INTEGER;
UPDATE roots SET changed_scan_id = last_scan_id;

-- What rescans found changed. A first scan is the state that changes are counted from: it has none.
-- kind: 1 added, 2 removed, 3 modified, 4 moved. fields: columns of the view files, joined by commas.
-- is_content: a directory of which only its content changed.
CREATE TABLE change_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  scan_id INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  entry_id INTEGER NOT NULL,
  entry_kind INTEGER NOT NULL,
  path TEXT NOT NULL,
  old_path TEXT,
  fields TEXT,
  size INTEGER,
  old_size INTEGER,
  modified INTEGER,
  old_modified INTEGER,
  is_content INTEGER NOT NULL
);
CREATE INDEX change_log_by_scan ON change_log(scan_id);

-- By how much a scan changed the sums of a directory.
CREATE TABLE growth_log (
  scan_id INTEGER NOT NULL,
  folder_id INTEGER NOT NULL,
  root_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  depth INTEGER NOT NULL,
  files INTEGER NOT NULL,
  directories INTEGER NOT NULL,
  size INTEGER NOT NULL,
  allocated INTEGER NOT NULL,
  total_files INTEGER NOT NULL,
  total_directories INTEGER NOT NULL,
  total_size INTEGER NOT NULL,
  total_allocated INTEGER NOT NULL,
  PRIMARY KEY (scan_id, folder_id)
) WITHOUT ROWID;

CREATE VIEW changes AS
SELECT
  c.id, c.scan_id, s.finished / 1000000000 AS at,
  CASE c.kind
    WHEN 1 THEN 'added' WHEN 2 THEN 'removed' WHEN 3 THEN 'modified' WHEN 4 THEN 'moved'
  END AS kind,
  c.entry_id,
  CASE c.entry_kind
    WHEN 1 THEN 'file' WHEN 2 THEN 'directory' WHEN 3 THEN 'package' WHEN 4 THEN 'symlink'
    WHEN 5 THEN 'fifo' WHEN 6 THEN 'socket' WHEN 7 THEN 'block_device'
    WHEN 8 THEN 'character_device'
  END AS entry_kind,
  c.path, c.old_path, c.fields, c.size, c.old_size,
  c.modified AS modified_ns, c.old_modified AS old_modified_ns
FROM change_log c JOIN scan_log s ON s.id = c.scan_id
WHERE c.is_content = 0;

-- The change between two scans of a directory is the sum of its rows after the first of them.
CREATE VIEW growth_by_directory AS
SELECT
  g.scan_id, s.finished / 1000000000 AS at, g.root_id, s.root,
  g.folder_id AS directory_id, g.path, g.depth,
  g.files, g.directories, g.size, g.allocated,
  g.total_files, g.total_directories, g.total_size, g.total_allocated
FROM growth_log g JOIN scan_log s ON s.id = g.scan_id;
