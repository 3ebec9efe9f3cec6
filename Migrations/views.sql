-- The views of a catalog: what everybody selects from. They only grow.
--
-- This file holds no data, so it is no migration: opening a catalog whose views were made from
-- another text makes them anew. The stock sqlite3 program reads all of them without any extension.
-- The comment above a view says what its rows are, in one sentence first; the data dictionary shows
-- that sentence, and leaves out the views that are called internal.
--
-- Times are seconds since 1970-01-01 UTC, rounded down; columns that end in _ns have nanoseconds.
-- Sizes are bytes.

-- Entries -----------------------------------------------------------------------------------------

-- Internal: everything known of an entry, with the numbers that queries compare instead of words.
CREATE VIEW _entry_rows AS
SELECT
  e.id,
  ifnull(d.root_id, (SELECT r.id FROM _roots r WHERE r.entry_id = e.id)) AS root_id,
  (SELECT r.path FROM _roots r
    WHERE r.id = ifnull(d.root_id, (SELECT q.id FROM _roots q WHERE q.entry_id = e.id))) AS root,
  e.parent_id,
  d.path AS directory,
  e.name,
  CASE
    WHEN d.id IS NULL THEN (SELECT t.path FROM _directory_paths t WHERE t.id = e.id)
    WHEN d.path = '/' THEN '/' || e.name
    ELSE d.path || '/' || e.name
  END AS path,
  (SELECT k.name FROM _kinds k WHERE k.id = e.kind) AS kind,
  (SELECT t.identifier FROM _uniform_types t WHERE t.id = e.type_id) AS type,
  (SELECT x.name FROM _extensions x WHERE x.id = e.extension_id) AS extension,
  e.size,
  e.allocated,
  e.created / 1000000000 - (e.created % 1000000000 < 0) AS created,
  e.modified / 1000000000 - (e.modified % 1000000000 < 0) AS modified,
  e.changed / 1000000000 - (e.changed % 1000000000 < 0) AS changed,
  e.accessed / 1000000000 - (e.accessed % 1000000000 < 0) AS accessed,
  e.created AS created_ns,
  e.modified AS modified_ns,
  e.changed AS changed_ns,
  e.accessed AS accessed_ns,
  e.mode,
  e.uid,
  e.gid,
  (SELECT u.name FROM _users u WHERE u.uid = e.uid) AS owner,
  (SELECT g.name FROM _groups g WHERE g.gid = e.gid) AS group_name,
  e.inode,
  (SELECT v.device FROM _volumes v WHERE v.id = e.volume_id) AS device,
  e.links,
  e.attributes AS flags,
  e.name_shape & 1 AS is_hidden,
  (e.traits & 4) <> 0 AS is_package,
  (SELECT s.target FROM _symlinks s WHERE s.id = e.id) AS link_target,
  ifnull(d.depth + 1, 0) AS depth,
  (SELECT c.name FROM _known_containers c WHERE c.id = p.container_id) AS container,
  (SELECT r.name FROM _role_policies r WHERE r.id = p.role_id) AS role,
  (SELECT r.backup FROM _role_policies r WHERE r.id = p.role_id) AS backup_policy,
  (SELECT r.purge <> 'never' FROM _role_policies r WHERE r.id = p.role_id) AS purgeable,
  CASE WHEN e.kind IN (1, 3, 4) THEN substr(e.name, 1, length(e.name) - (e.name_shape >> 1))
  END AS asset_stem,
  CASE WHEN e.kind IN (1, 3, 4) THEN (SELECT a.scale FROM _assets a WHERE a.id = e.id)
  END AS asset_scale,
  CASE WHEN e.kind IN (1, 3, 4) THEN (SELECT a.idiom FROM _assets a WHERE a.id = e.id)
  END AS asset_idiom,
  CASE WHEN e.kind IN (1, 3, 4) THEN (SELECT a.height FROM _assets a WHERE a.id = e.id)
  END AS asset_height,
  CASE WHEN e.kind IN (1, 3, 4) THEN ifnull((SELECT a.hd FROM _assets a WHERE a.id = e.id), 0)
  END AS asset_hd,
  e.first_seen_scan,
  e.last_changed_scan,
  CASE e.kind
    WHEN 2 THEN (SELECT t.total_size FROM _directory_totals t WHERE t.id = e.id) WHEN 3 THEN e.size
  END AS total_size,
  CASE e.kind
    WHEN 2 THEN (SELECT t.total_allocated FROM _directory_totals t WHERE t.id = e.id)
    WHEN 3 THEN e.allocated
  END AS total_allocated,
  CASE e.kind
    WHEN 2 THEN (SELECT t.total_files FROM _directory_totals t WHERE t.id = e.id)
    WHEN 3 THEN (SELECT k.files FROM _packages k WHERE k.id = e.id)
  END AS total_files,
  (SELECT t.description FROM _uniform_types t WHERE t.id = e.type_id) AS type_description,
  e.kind = 4 AND (e.traits & 2) <> 0 AS is_broken,
  e.kind AS kind_id,
  e.type_id,
  e.extension_id,
  e.traits,
  p.id AS place_id
FROM _entries e
  LEFT JOIN _directory_paths d ON d.id = e.parent_id
  LEFT JOIN _places p ON p.id = CASE e.kind
    WHEN 2 THEN (SELECT o.place_id FROM _directory_paths o WHERE o.id = e.id)
    WHEN 3 THEN ifnull((SELECT k.place_id FROM _packages k WHERE k.id = e.id), d.place_id)
    ELSE d.place_id
  END;

-- Every file, directory, package, link and special file, one row each; a root is a row, too.
CREATE VIEW files AS
SELECT
  id, root_id, root, parent_id, directory, name, path, kind, type, extension, size, allocated,
  created, modified, changed, accessed, created_ns, modified_ns, changed_ns, accessed_ns,
  mode, uid, gid, owner, group_name, inode, device, links, flags, is_hidden, is_package,
  link_target, depth, container, role, backup_policy, purgeable,
  asset_stem, asset_scale, asset_idiom, asset_height, asset_hd,
  first_seen_scan, last_changed_scan,
  total_size, total_allocated, total_files, type_description, is_broken
FROM _entry_rows;

-- What each directory holds: its direct children, and everything below it.
CREATE VIEW directories AS
SELECT
  d.id, d.root_id, d.path, d.depth,
  t.files, t.directories, t.size, t.allocated,
  t.total_files, t.total_directories, t.total_size, t.total_allocated,
  t.newest_modified / 1000000000 - (t.newest_modified % 1000000000 < 0) AS newest_modified,
  CASE t.state WHEN 0 THEN 'complete' WHEN 1 THEN 'unreadable' WHEN 2 THEN 'unscanned' END AS state,
  t.error
FROM _directory_paths d JOIN _directory_totals t ON t.id = d.id;

-- Further values of entries, stored by the scans that were asked for them.
CREATE VIEW resource_values AS
SELECT v.entry_id, f.path, v.key, v.value
FROM _entry_values v JOIN _entry_rows f ON f.id = v.entry_id;

-- Types -------------------------------------------------------------------------------------------

-- The uniform types that the catalog knows.
CREATE VIEW types AS
SELECT
  identifier,
  description,
  (flags & 1) <> 0 AS is_package,
  (flags & 4) <> 0 AS is_dynamic,
  source
FROM _uniform_types
WHERE flags & 8 = 0;

-- Which type conforms to which; every type conforms to itself.
CREATE VIEW type_conformance AS
SELECT t.identifier AS identifier, a.identifier AS ancestor
FROM _uniform_type_conformance c
JOIN _uniform_types t ON t.id = c.type_id
JOIN _uniform_types a ON a.id = c.ancestor_id;

-- The filename extensions and MIME types of types, the preferred ones first.
CREATE VIEW type_tags AS
SELECT t.identifier AS identifier, g.class AS class, g.tag AS tag, g.rank AS rank
FROM _uniform_type_tags g JOIN _uniform_types t ON t.id = g.type_id;

-- Scans and history -------------------------------------------------------------------------------

-- Every scan of every root.
CREATE VIEW scans AS
SELECT
  id, root_id, root,
  started / 1000000000 AS started_at,
  finished / 1000000000 AS finished_at,
  state, entries, added, removed, modified, moved, errors,
  (finished - started) / 1e9 AS seconds
FROM _scan_log;

-- What scans could not read.
CREATE VIEW scan_errors AS
SELECT scan_id, path, operation, errno, message FROM _scan_failures;

-- What each scan found changed; a first scan is what changes are counted from, and has none.
CREATE VIEW changes AS
SELECT
  c.id, c.scan_id, s.finished / 1000000000 AS at,
  CASE c.kind
    WHEN 1 THEN 'added' WHEN 2 THEN 'removed' WHEN 3 THEN 'modified' WHEN 4 THEN 'moved'
  END AS kind,
  c.entry_id,
  (SELECT k.name FROM _kinds k WHERE k.id = c.entry_kind) AS entry_kind,
  c.path, c.old_path, c.fields, c.size, c.old_size,
  c.modified AS modified_ns, c.old_modified AS old_modified_ns
FROM _change_log c JOIN _scan_log s ON s.id = c.scan_id
WHERE c.is_content = 0;

-- By how much each scan changed the sums of each directory.
--
-- The change between two scans of a directory is the sum of its rows after the first of them.
CREATE VIEW growth_by_directory AS
SELECT
  g.scan_id, s.finished / 1000000000 AS at, g.root_id, s.root,
  g.directory_id, g.path, g.depth,
  g.files, g.directories, g.size, g.allocated,
  g.total_files, g.total_directories, g.total_size, g.total_allocated
FROM _growth_log g JOIN _scan_log s ON s.id = g.scan_id;

-- Reports -----------------------------------------------------------------------------------------
--
-- What occupies the disk, by everything that one may want to know it by.
--
-- Every usage report has the columns files, size and allocated. files counts what is no directory,
-- a package as the files that it holds. size is what du --apparent-size says of them. allocated is
-- what du says: with the blocks of directories, and a file with several names once, at the name
-- that came into the catalog first; so the rows of a report add up to what there really is.
--
-- Reports read entries only through _report_entries, _report_links and _repeated_links. A program that
-- puts common table expressions with these names before a report's statement gets the same report
-- about fewer entries.

-- Internal: what each entry contributes to reports.
CREATE VIEW _report_entries AS
SELECT
  e.id, e.parent_id, e.name, e.kind, e.type_id, e.extension_id,
  e.name_shape >> 1 AS asset_tail, e.uid, e.modified, e.inode, e.volume_id, e.traits,
  CASE e.kind WHEN 2 THEN 0 WHEN 3 THEN (SELECT p.files FROM _packages p WHERE p.id = e.id) ELSE 1
    END AS files,
  CASE e.kind WHEN 2 THEN 0 ELSE ifnull(e.size, 0) END AS size,
  ifnull(e.allocated, 0) AS allocated
FROM _entries e;

-- Internal: the names of files that have several. Those inside packages stand for as many as the
-- package holds of the file; how many the file has altogether is not known of them.
CREATE VIEW _report_links AS
SELECT e.id AS entry_id, e.volume_id, e.inode, e.links, e.size, e.allocated
FROM _entries e WHERE e.links > 1 AND e.kind NOT IN (2, 3)
UNION ALL
SELECT l.package_id, l.volume_id, l.inode, NULL, NULL, l.allocated FROM _packaged_links l;

-- Internal: the bytes on disk that an entry names, but that count elsewhere.
CREATE VIEW _repeated_links AS
SELECT entry_id, sum(allocated) AS allocated
FROM (
  SELECT entry_id, allocated,
    row_number() OVER (PARTITION BY volume_id, inode ORDER BY entry_id) AS position
  FROM _report_links)
WHERE position > 1
GROUP BY entry_id;

-- What files, directories, packages and links take.
CREATE VIEW usage_by_kind AS
SELECT
  (SELECT k.name FROM _kinds k WHERE k.id = u.kind) AS kind,
  count(*) AS entries,
  sum(u.files) AS files,
  sum(u.size) AS size,
  sum(u.allocated - ifnull(r.allocated, 0)) AS allocated
FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id
GROUP BY u.kind;

-- What the files of each uniform type take.
--
-- The plus sign keeps SQLite from reading the entries in the order of the index, row by row.
CREATE VIEW usage_by_type AS
SELECT
  (SELECT t.identifier FROM _uniform_types t WHERE t.id = u.type_id) AS type,
  (SELECT t.description FROM _uniform_types t WHERE t.id = u.type_id) AS description,
  count(*) AS entries,
  sum(u.files) AS files,
  sum(u.size) AS size,
  sum(u.allocated - ifnull(r.allocated, 0)) AS allocated
FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id
GROUP BY +u.type_id;

-- What the files with each extension take; directories count as having none.
CREATE VIEW usage_by_extension AS
SELECT
  (SELECT x.name FROM _extensions x WHERE x.id = g.extension_id) AS extension,
  g.entries, g.files, g.size, g.allocated
FROM (
  SELECT
    CASE WHEN u.kind <> 2 THEN u.extension_id END AS extension_id,
    count(*) AS entries,
    sum(u.files) AS files,
    sum(u.size) AS size,
    sum(u.allocated - ifnull(r.allocated, 0)) AS allocated
  FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id
  GROUP BY 1) g;

-- What each owner's files and directories take.
CREATE VIEW usage_by_owner AS
SELECT
  (SELECT n.name FROM _users n WHERE n.uid = u.uid) AS owner,
  u.uid,
  count(*) AS entries,
  sum(u.files) AS files,
  sum(u.size) AS size,
  sum(u.allocated - ifnull(r.allocated, 0)) AS allocated
FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id
GROUP BY u.uid;

-- What was modified how long ago, in days of 24 hours: min_days <= age < max_days.
CREATE VIEW usage_by_age AS
SELECT
  a.age,
  a.min_days,
  a.max_days,
  g.entries, g.files, g.size, g.allocated
FROM (
  SELECT
    CASE
      WHEN u.modified IS NULL THEN 10
      WHEN u.modified > n.now THEN 9
      WHEN u.modified > n.now - 86400000000000 THEN 1
      WHEN u.modified > n.now - 604800000000000 THEN 2
      WHEN u.modified > n.now - 2592000000000000 THEN 3
      WHEN u.modified > n.now - 7776000000000000 THEN 4
      WHEN u.modified > n.now - 31536000000000000 THEN 5
      WHEN u.modified > n.now - 63072000000000000 THEN 6
      WHEN u.modified > n.now - 157680000000000000 THEN 7
      ELSE 8
    END AS position,
    count(*) AS entries,
    sum(u.files) AS files,
    sum(u.size) AS size,
    sum(u.allocated - ifnull(r.allocated, 0)) AS allocated
  FROM (SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000000000 + 999999999 AS now) n
    CROSS JOIN _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id
  GROUP BY 1
) g JOIN (
  SELECT 1 AS position, 'under a day' AS age, 0 AS min_days, 1 AS max_days
  UNION ALL SELECT 2, 'under a week', 1, 7
  UNION ALL SELECT 3, 'under 30 days', 7, 30
  UNION ALL SELECT 4, 'under 90 days', 30, 90
  UNION ALL SELECT 5, 'under a year', 90, 365
  UNION ALL SELECT 6, 'under 2 years', 365, 730
  UNION ALL SELECT 7, 'under 5 years', 730, 1825
  UNION ALL SELECT 8, '5 years and more', 1825, NULL
  UNION ALL SELECT 9, 'in the future', NULL, 0
  UNION ALL SELECT 10, 'unknown', NULL, NULL
) a ON a.position = g.position
ORDER BY g.position;

-- What each directory takes with everything below it; a package is one file here.
CREATE VIEW usage_by_directory AS
SELECT
  d.id, d.root_id, d.path, d.depth,
  d.total_files AS files,
  d.total_directories AS directories,
  d.total_size AS size,
  d.total_allocated AS allocated,
  d.newest_modified,
  d.state
FROM directories d;

-- Internal: what the entries of each place among the containers take; place 0 is in none.
CREATE VIEW _usage_by_place AS
SELECT
  i.place_id, count(*) AS entries, sum(i.files) AS files, sum(i.size) AS size,
  sum(i.allocated) AS allocated
FROM (
  SELECT
    CASE u.kind
      WHEN 2 THEN (SELECT o.place_id FROM _directory_paths o WHERE o.id = u.id)
      WHEN 3 THEN ifnull((SELECT k.place_id FROM _packages k WHERE k.id = u.id),
        (SELECT d.place_id FROM _directory_paths d WHERE d.id = u.parent_id))
      ELSE (SELECT d.place_id FROM _directory_paths d WHERE d.id = u.parent_id)
    END AS place_id,
    u.files, u.size, u.allocated - ifnull(r.allocated, 0) AS allocated
  FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id) i
GROUP BY i.place_id;

-- What the files of each role of containers take, and its policy; role is NULL for what has none.
CREATE VIEW usage_by_role AS
SELECT
  g.role, p.backup AS backup_policy, p.purge <> 'never' AS purgeable,
  g.entries, g.files, g.size, g.allocated
FROM (
  SELECT
    (SELECT r.name FROM _places p JOIN _role_policies r ON r.id = p.role_id
      WHERE p.id = u.place_id) AS role,
    sum(u.entries) AS entries, sum(u.files) AS files, sum(u.size) AS size,
    sum(u.allocated) AS allocated
  FROM _usage_by_place u
  GROUP BY 1) g LEFT JOIN _role_policies p ON p.name = g.role;

-- What each role of each container takes, without what is in none.
CREATE VIEW usage_by_container AS
SELECT
  c.name AS container, r.name AS role, r.backup AS backup_policy,
  r.purge <> 'never' AS purgeable, u.entries, u.files, u.size, u.allocated,
  c.id AS container_id, u.place_id
FROM _usage_by_place u
  JOIN _places p ON p.id = u.place_id
  JOIN _known_containers c ON c.id = p.container_id
  LEFT JOIN _role_policies r ON r.id = p.role_id;

-- The thousand files and packages that take most space, each at one of its names.
CREATE VIEW largest_files AS
SELECT f.id, f.path, f.kind, f.type, f.size, f.allocated, f.modified, f.owner, f.links
FROM (
  SELECT u.id
  FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id
  WHERE u.kind <> 2 AND (r.entry_id IS NULL OR u.kind = 3)
  ORDER BY u.allocated DESC, u.size DESC, u.id
  LIMIT 1000) l CROSS JOIN _entry_rows f ON f.id = l.id
ORDER BY f.allocated DESC, f.size DESC, f.id;

-- Every name of the files with several names.
CREATE VIEW hard_link_names AS
SELECT f.id, l.volume_id, l.inode, l.links, l.allocated, f.kind, f.path
FROM _report_links l JOIN _entry_rows f ON f.id = l.entry_id;

-- The files with several names, and what deleting the names here would really free.
--
-- How many names there are (links), how many of them are here (names), how many
-- must then be somewhere else (outside), and the bytes that are free when all names here are gone:
-- none while there are others. freed_with is the directory that has to go for that at least, where
-- one directory is enough. Of a file met only in packages, links, outside and freed are unknown.
CREATE VIEW hard_links AS
SELECT
  (SELECT v.device FROM _volumes v WHERE v.id = g.volume_id) AS device,
  g.inode,
  g.links,
  g.names,
  max(g.links - g.names, 0) AS outside,
  g.size,
  g.allocated,
  CASE WHEN g.links <= g.names THEN g.allocated WHEN g.links IS NOT NULL THEN 0 END AS freed,
  CASE WHEN g.links <= g.names THEN (
    WITH RECURSIVE above(id, path, prefix) AS (
      SELECT f.id, f.path, CAST(rtrim(f.path, '/') || '/' AS BLOB)
      FROM _entries e JOIN _directory_paths f ON f.id = e.parent_id WHERE e.id = g.first
      UNION
      SELECT f.id, f.path, CAST(rtrim(f.path, '/') || '/' AS BLOB)
      FROM above a JOIN _entries e ON e.id = a.id JOIN _directory_paths f ON f.id = e.parent_id
    )
    SELECT a.path FROM above a
    WHERE substr(g.lowest, 1, length(a.prefix)) = a.prefix
      AND substr(g.highest, 1, length(a.prefix)) = a.prefix
    LIMIT 1)
  END AS freed_with,
  (SELECT f.path FROM _entry_rows f WHERE f.id = g.first) AS path
FROM (
  SELECT l.volume_id, l.inode, max(l.links) AS links, count(*) AS names, max(l.size) AS size,
    max(l.allocated) AS allocated, min(l.entry_id) AS first,
    min(CAST(rtrim(d.path, '/') || '/' AS BLOB)) AS lowest,
    max(CAST(rtrim(d.path, '/') || '/' AS BLOB)) AS highest
  FROM _report_links l
    CROSS JOIN _entries e ON e.id = l.entry_id
    CROSS JOIN _directory_paths d ON d.id = e.parent_id
  GROUP BY l.volume_id, l.inode) g;

-- The symbolic links that lead nowhere.
CREATE VIEW broken_links AS
SELECT f.id, f.path, f.link_target, f.modified, f.owner
FROM _report_entries u CROSS JOIN _entry_rows f ON f.id = u.id
WHERE u.kind = 4 AND u.traits & 2;

-- The files of the same name and size, each at one of its names.
--
-- copies is how many of them there are; wasted is what goes, of all together, when one stays.
CREATE VIEW duplicate_candidates AS
SELECT
  f.name, f.size, d.copies, d.wasted, f.allocated, f.modified, f.id, f.path
FROM (
  SELECT id,
    count(*) OVER (PARTITION BY size, name) AS copies,
    sum(allocated) OVER (PARTITION BY size, name)
      - max(allocated) OVER (PARTITION BY size, name) AS wasted
  FROM (
    SELECT min(u.id) AS id, u.size, u.name, u.allocated
    FROM _report_entries u CROSS JOIN (
      SELECT size, name FROM _report_entries
      WHERE kind = 1 AND size > 0
      GROUP BY size, name
      HAVING min(inode) < max(inode) OR min(volume_id) < max(volume_id)) g
      ON g.size = u.size AND g.name = u.name
    WHERE u.kind = 1
    GROUP BY u.size, u.name, u.volume_id, u.inode)
) d CROSS JOIN _entry_rows f ON f.id = d.id
ORDER BY d.wasted DESC, f.name, f.size, f.id;

-- Searches that people have given a name.
CREATE VIEW searches AS
SELECT
  name, query, directory, sort,
  saved / 1000000000 - (saved % 1000000000 < 0) AS saved_at
FROM _saved_searches;

-- Containers and assets ---------------------------------------------------------------------------

-- What a directory of a container is for, and what that promises of its files.
CREATE VIEW roles AS
SELECT name AS role, persists, backup AS backup_policy, purge, purge <> 'never' AS purgeable, writer
FROM _role_policies;

-- The containers that somebody has registered.
CREATE VIEW containers AS
SELECT id, name AS container, style, path, identifier FROM _known_containers;

-- What the disk says of backups, whatever the role promises.
--
-- Marks by extended attributes, which are known where scans store these, and directories that are
-- tagged as caches.
CREATE VIEW backup_marks AS
SELECT v.entry_id, f.path, substr(v.key, 7) AS mark, f.container, f.role, f.backup_policy
FROM _entry_values v JOIN _entry_rows f ON f.id = v.entry_id
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
FROM _cache_tags t JOIN _entries e ON e.id = t.id JOIN _entry_rows f ON f.id = e.parent_id
WHERE t.is_tag;

-- Variants of assets of which a scale, or the plain one, is missing.
--
-- One row for the variants of a stem in a directory that differ in scale only. scales: those that
-- are there, 1 standing for none. missing_scales: those up to the largest of the stem that are not
-- there. has_plain: whether the name without any mark exists.
CREATE VIEW asset_gaps AS
WITH marked AS (
  SELECT u.parent_id, substr(u.name, 1, length(u.name) - u.asset_tail) AS stem,
    substr(u.name, length(u.name) - a.extension_length + 1) AS extension,
    a.idiom, a.height, a.hd, ifnull(a.scale, 1) AS scale
  FROM _assets a JOIN _report_entries u ON u.id = a.id
  WHERE u.kind IN (1, 3, 4)
),
variants AS (
  SELECT parent_id, stem, extension, idiom, height, hd, scale, 0 AS is_plain FROM marked
  UNION ALL
  SELECT m.parent_id, m.stem, m.extension, NULL, NULL, 0, 1, 1
  FROM (SELECT DISTINCT parent_id, stem, extension FROM marked) m
  JOIN _entries e ON e.parent_id = m.parent_id AND e.kind IN (1, 3, 4) AND e.name = CASE
    WHEN length(m.extension) = 0 THEN m.stem
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
  (SELECT d.path FROM _directory_paths d WHERE d.id = g.parent_id) AS path,
  g.stem, g.extension, g.idiom, g.height, g.hd, g.scales, g.missing_scales, g.has_plain
FROM gaps g
WHERE g.missing_scales IS NOT NULL OR NOT g.has_plain;
