-- Containers, the roles of their directories, and the variants of assets.

-- Made anew below, with further columns. They go first: SQLite reads the whole schema again for each
-- column that a table gets.
DROP VIEW files;
DROP VIEW entry_rows;

-- What a directory of a container is for, and what that promises of its files. The same on every
-- machine; stored so that any program can read it.
CREATE TABLE role_policies (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  persists INTEGER NOT NULL,
  backup TEXT NOT NULL,
  purge TEXT NOT NULL,
  writer TEXT NOT NULL
);
INSERT INTO role_policies VALUES
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
CREATE TABLE known_containers (
  id INTEGER PRIMARY KEY,
  name NOT NULL UNIQUE,
  style TEXT NOT NULL,
  path NOT NULL UNIQUE,
  identifier TEXT
);

-- Where a container has the directories of a role, if that is not where its style has them; without
-- a path: nowhere. Paths that are not absolute begin at the container.
CREATE TABLE container_directories (
  container_id INTEGER NOT NULL,
  role_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  path,
  PRIMARY KEY (container_id, role_id, position)
) WITHOUT ROWID;

-- A role in a container, or what is in a container and has no role. Directories refer to it.
CREATE TABLE places (
  id INTEGER PRIMARY KEY,
  container_id INTEGER NOT NULL,
  role_id INTEGER
);
CREATE INDEX places_by_container ON places(container_id, role_id);

-- Where a directory is among the containers: what is in it inherits that. 0: in none. NULL until the
-- end of the scan that has written the path.
ALTER TABLE folders ADD COLUMN place_id INTEGER;
UPDATE folders SET place_id = 0;
CREATE INDEX folders_unplaced ON folders(id) WHERE place_id IS NULL;

-- Where a package is that is itself the directory of a role; of others NULL.
ALTER TABLE packages ADD COLUMN place_id INTEGER;
CREATE INDEX packages_placed ON packages(place_id) WHERE place_id IS NOT NULL;

-- The variants of an asset, and the name without marks, have the same key: 32 bits of the FNV-1a hash
-- of the name without marks.
ALTER TABLE entries ADD COLUMN asset_key INTEGER;
CREATE INDEX entries_by_asset ON entries(asset_key);

-- What names say of the variant that a file is: names with marks, and the few whose stem cannot be
-- told by SQL. Depends on the name alone, so it is there for directories as well.
CREATE TABLE assets (
  id INTEGER PRIMARY KEY,
  stem TEXT NOT NULL,
  extension TEXT NOT NULL,
  scale NUMERIC,
  idiom TEXT,
  height INTEGER,
  hd INTEGER NOT NULL
);

-- What the files called CACHEDIR.TAG contain, as of their size and time of modification.
CREATE TABLE cache_tags (
  id INTEGER PRIMARY KEY,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  is_tag INTEGER NOT NULL
);

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
  (SELECT c.name FROM places p JOIN known_containers c ON c.id = p.container_id
    WHERE p.id = CASE e.kind
      WHEN 2 THEN (SELECT o.place_id FROM folders o WHERE o.id = e.id)
      WHEN 3 THEN ifnull((SELECT k.place_id FROM packages k WHERE k.id = e.id), d.place_id)
      ELSE d.place_id
    END) AS container,
  (SELECT r.name FROM places p JOIN role_policies r ON r.id = p.role_id
    WHERE p.id = CASE e.kind
      WHEN 2 THEN (SELECT o.place_id FROM folders o WHERE o.id = e.id)
      WHEN 3 THEN ifnull((SELECT k.place_id FROM packages k WHERE k.id = e.id), d.place_id)
      ELSE d.place_id
    END) AS role,
  (SELECT r.backup FROM places p JOIN role_policies r ON r.id = p.role_id
    WHERE p.id = CASE e.kind
      WHEN 2 THEN (SELECT o.place_id FROM folders o WHERE o.id = e.id)
      WHEN 3 THEN ifnull((SELECT k.place_id FROM packages k WHERE k.id = e.id), d.place_id)
      ELSE d.place_id
    END) AS backup_policy,
  (SELECT r.purge <> 'never' FROM places p JOIN role_policies r ON r.id = p.role_id
    WHERE p.id = CASE e.kind
      WHEN 2 THEN (SELECT o.place_id FROM folders o WHERE o.id = e.id)
      WHEN 3 THEN ifnull((SELECT k.place_id FROM packages k WHERE k.id = e.id), d.place_id)
      ELSE d.place_id
    END) AS purgeable,
  -- The name without marks and extension. What the table does not have is the part before the last
  -- dot, and of gz before the one in front of it.
  CASE WHEN e.kind IN (1, 3, 4) THEN ifnull(
    (SELECT a.stem FROM assets a WHERE a.id = e.id),
    (SELECT CASE
        WHEN part IS NULL THEN n.name
        WHEN substr(n.name, length(part) + 1) <> 'gz' THEN base
        WHEN length(inner_part) > 1 AND length(inner_part) < length(base)
          AND instr(substr(base, length(inner_part) + 1), ' ') = 0
        THEN substr(base, 1, length(inner_part) - 1)
        ELSE base
      END
      FROM (
        SELECT part, substr(s.name, 1, length(part) - 1) AS base, s.name,
          rtrim(substr(s.name, 1, length(part) - 1),
            replace(substr(s.name, 1, length(part) - 1), '.', '')) AS inner_part
        FROM (
          SELECT t.name,
            CASE WHEN length(t.part) > 1 AND length(t.part) < length(t.name)
              AND instr(substr(t.name, length(t.part) + 1), ' ') = 0 THEN t.part END AS part
          FROM (
            SELECT CAST(e.name AS TEXT) AS name,
              rtrim(CAST(e.name AS TEXT), replace(CAST(e.name AS TEXT), '.', '')) AS part) t
        ) s
      ) n))
  END AS asset_stem,
  CASE WHEN e.kind IN (1, 3, 4) THEN (SELECT a.scale FROM assets a WHERE a.id = e.id)
  END AS asset_scale,
  CASE WHEN e.kind IN (1, 3, 4) THEN (SELECT a.idiom FROM assets a WHERE a.id = e.id)
  END AS asset_idiom,
  CASE WHEN e.kind IN (1, 3, 4) THEN (SELECT a.height FROM assets a WHERE a.id = e.id)
  END AS asset_height,
  CASE WHEN e.kind IN (1, 3, 4) THEN ifnull((SELECT a.hd FROM assets a WHERE a.id = e.id), 0)
  END AS asset_hd,
  e.first_seen_scan,
  e.last_changed_scan,
  e.kind AS kind_id,
  e.type_id,
  e.traits,
  CASE e.kind
    WHEN 2 THEN (SELECT o.place_id FROM folders o WHERE o.id = e.id)
    WHEN 3 THEN ifnull((SELECT k.place_id FROM packages k WHERE k.id = e.id), d.place_id)
    ELSE d.place_id
  END AS place_id
FROM entries e LEFT JOIN folders d ON d.id = e.parent_id;

CREATE VIEW files AS
SELECT
  id, root_id, root, parent_id, directory, name, path, kind, type, extension, size, allocated,
  created, modified, changed, accessed, created_ns, modified_ns, changed_ns, accessed_ns,
  mode, uid, gid, owner, group_name, inode, device, links, flags, is_hidden, is_package,
  link_target, depth, container, role, backup_policy, purgeable,
  asset_stem, asset_scale, asset_idiom, asset_height, asset_hd,
  first_seen_scan, last_changed_scan
FROM entry_rows;

CREATE VIEW roles AS
SELECT name AS role, persists, backup AS backup_policy, purge, purge <> 'never' AS purgeable, writer
FROM role_policies;

CREATE VIEW containers AS
SELECT id, name AS container, style, path, identifier FROM known_containers;

-- What the disk says of backups, whatever the role promises: marks by extended attributes, which are
-- known where scans store these, and directories that are tagged as caches.
CREATE VIEW backup_marks AS
SELECT v.entry_id, f.path, substr(v.key, 7) AS mark, f.container, f.role, f.backup_policy
FROM entry_values v JOIN entry_rows f ON f.id = v.entry_id
WHERE CASE v.key
  WHEN 'xattr:com.apple.metadata:com_apple_backup_excludeItem' THEN 1
  WHEN 'xattr:user.com.apple.metadata:com_apple_backup_excludeItem' THEN 1
  WHEN 'xattr:com.apple.MobileBackup' THEN CAST(v.value AS BLOB) = x'01'
  WHEN 'xattr:user.com.apple.MobileBackup' THEN CAST(v.value AS BLOB) = x'01'
  WHEN 'xattr:user.xdg.robots.backup' THEN
    lower(trim(CAST(v.value AS TEXT), char(9, 10, 13, 32))) IN ('false', '0', 'no')
  WHEN 'xattr:xdg.robots.backup' THEN
    lower(trim(CAST(v.value AS TEXT), char(9, 10, 13, 32))) IN ('false', '0', 'no')
END
UNION ALL
SELECT f.id, f.path, 'CACHEDIR.TAG', f.container, f.role, f.backup_policy
FROM cache_tags t JOIN entries e ON e.id = t.id JOIN entry_rows f ON f.id = e.parent_id
WHERE t.is_tag;

-- What the entries of each role take; role is NULL for what has none.
CREATE VIEW usage_by_role AS
SELECT
  (SELECT r.name FROM role_policies r WHERE r.id = g.role_id) AS role,
  (SELECT r.backup FROM role_policies r WHERE r.id = g.role_id) AS backup_policy,
  (SELECT r.purge <> 'never' FROM role_policies r WHERE r.id = g.role_id) AS purgeable,
  sum(g.entries) AS entries, sum(g.files) AS files, sum(g.size) AS size,
  sum(g.allocated) AS allocated
FROM (
  SELECT
    (SELECT p.role_id FROM places p WHERE p.id = i.place_id) AS role_id,
    count(*) AS entries, sum(i.files) AS files, sum(i.size) AS size, sum(i.allocated) AS allocated
  FROM (
    SELECT
      CASE u.kind
        WHEN 2 THEN (SELECT o.place_id FROM folders o WHERE o.id = u.id)
        WHEN 3 THEN ifnull((SELECT k.place_id FROM packages k WHERE k.id = u.id),
          (SELECT d.place_id FROM folders d WHERE d.id = u.parent_id))
        ELSE (SELECT d.place_id FROM folders d WHERE d.id = u.parent_id)
      END AS place_id,
      u.files, u.size, u.allocated - ifnull(r.allocated, 0) AS allocated
    FROM report_entries u LEFT JOIN repeated_links r ON r.entry_id = u.id) i
  GROUP BY i.place_id) g
GROUP BY g.role_id;

-- The same for each container, without what is in none.
CREATE VIEW usage_by_container AS
SELECT
  c.name AS container,
  (SELECT r.name FROM role_policies r WHERE r.id = p.role_id) AS role,
  (SELECT r.backup FROM role_policies r WHERE r.id = p.role_id) AS backup_policy,
  (SELECT r.purge <> 'never' FROM role_policies r WHERE r.id = p.role_id) AS purgeable,
  count(*) AS entries, sum(i.files) AS files, sum(i.size) AS size, sum(i.allocated) AS allocated,
  c.id AS container_id, i.place_id
FROM (
  SELECT
    CASE u.kind
      WHEN 2 THEN (SELECT o.place_id FROM folders o WHERE o.id = u.id)
      WHEN 3 THEN ifnull((SELECT k.place_id FROM packages k WHERE k.id = u.id),
        (SELECT d.place_id FROM folders d WHERE d.id = u.parent_id))
      ELSE (SELECT d.place_id FROM folders d WHERE d.id = u.parent_id)
    END AS place_id,
    u.files, u.size, u.allocated - ifnull(r.allocated, 0) AS allocated
  FROM report_entries u LEFT JOIN repeated_links r ON r.entry_id = u.id) i
  JOIN places p ON p.id = i.place_id
  JOIN known_containers c ON c.id = p.container_id
GROUP BY i.place_id;

-- Variants of assets that are not complete, one row for the variants of a stem in a directory that
-- differ in scale only. scales: those that are there, 1 standing for none. missing_scales: those up
-- to the largest of the stem that are not there. has_plain: whether the name without any mark exists.
CREATE VIEW asset_gaps AS
WITH marked AS (
  SELECT u.parent_id, a.stem, a.extension, a.idiom, a.height, a.hd, ifnull(a.scale, 1) AS scale
  FROM assets a JOIN report_entries u ON u.id = a.id
  WHERE u.kind IN (1, 3, 4)
    AND (a.scale IS NOT NULL OR a.idiom IS NOT NULL OR a.height IS NOT NULL OR a.hd)
),
variants AS (
  SELECT parent_id, stem, extension, idiom, height, hd, scale, 0 AS is_plain FROM marked
  UNION ALL
  SELECT m.parent_id, m.stem, m.extension, NULL, NULL, 0, 1, 1
  FROM (SELECT DISTINCT parent_id, stem, extension FROM marked) m
  JOIN entries e ON e.parent_id = m.parent_id AND e.kind IN (1, 3, 4) AND e.name = CASE
    WHEN m.extension = '' THEN m.stem
    WHEN typeof(m.stem) = 'text' AND typeof(m.extension) = 'text' THEN m.stem || '.' || m.extension
    ELSE CAST(CAST(m.stem AS BLOB) || x'2e' || CAST(m.extension AS BLOB) AS BLOB)
  END
),
gaps AS (
  SELECT parent_id, stem, extension, idiom, height, hd, has_plain,
    group_concat(DISTINCT scale) AS scales,
    nullif(substr(
      CASE WHEN max(scale = 1) OR largest < 1 THEN '' ELSE ',1' END
      || CASE WHEN max(scale = 2) OR largest < 2 THEN '' ELSE ',2' END
      || CASE WHEN max(scale = 3) OR largest < 3 THEN '' ELSE ',3' END, 2), '') AS missing_scales
  FROM (
    SELECT *, max(scale) OVER stems AS largest, max(is_plain) OVER stems AS has_plain
    FROM variants
    WINDOW stems AS (PARTITION BY parent_id, stem, extension)
    ORDER BY parent_id, stem, extension, idiom, height, hd, scale)
  GROUP BY parent_id, stem, extension, idiom, height, hd
)
SELECT
  (SELECT d.path FROM folders d WHERE d.id = g.parent_id) AS path,
  g.stem, g.extension, g.idiom, g.height, g.hd, g.scales, g.missing_scales, g.has_plain
FROM gaps g
WHERE g.missing_scales IS NOT NULL OR NOT g.has_plain;
