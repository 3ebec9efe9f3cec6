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

-- A type that nobody declares any more stays in the table (flag 8), so that it gets its number back
-- when it returns, but it is no type of the catalog.
DROP VIEW types;
CREATE VIEW types AS
SELECT
  identifier,
  description,
  (flags & 1) <> 0 AS is_package,
  (flags & 4) <> 0 AS is_dynamic,
  source
FROM uniform_types
WHERE flags & 8 = 0;
