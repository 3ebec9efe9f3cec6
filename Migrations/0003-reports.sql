-- Reports: what occupies the disk, by everything that one may want to know it by.
--
-- Every usage report has the columns files, size and allocated. files counts what is no directory,
-- a package as the files that it holds. size is what du --apparent-size says of them. allocated is
-- what du says: with the blocks of directories, and a file with several names once, at the name
-- that came into the catalog first; so the rows of a report add up to what there really is.
--
-- Reports read entries only through report_entries, report_links and repeated_links. A program that
-- puts common table expressions with these names before a report's statement gets the same report
-- about fewer entries.

-- What each entry contributes. kind as in entries.
CREATE VIEW report_entries AS
SELECT
  e.id, e.parent_id, e.name, e.kind, e.type_id, e.uid, e.modified, e.inode, e.volume_id, e.traits,
  CASE e.kind WHEN 2 THEN 0 WHEN 3 THEN (SELECT p.files FROM packages p WHERE p.id = e.id) ELSE 1
    END AS files,
  CASE e.kind WHEN 2 THEN 0 ELSE ifnull(e.size, 0) END AS size,
  ifnull(e.allocated, 0) AS allocated
FROM entries e;

-- The names of files that have several. Those inside packages stand for as many as the package
-- holds of the file; how many the file has altogether is not known of them.
CREATE VIEW report_links AS
SELECT e.id AS entry_id, e.volume_id, e.inode, e.links, e.size, e.allocated
FROM entries e WHERE e.links > 1 AND e.kind NOT IN (2, 3)
UNION ALL
SELECT l.package_id, l.volume_id, l.inode, NULL, NULL, l.allocated FROM packaged_links l;

-- The bytes on disk that an entry names, but that count elsewhere.
CREATE VIEW repeated_links AS
SELECT entry_id, sum(allocated) AS allocated
FROM (
  SELECT entry_id, allocated,
    row_number() OVER (PARTITION BY volume_id, inode ORDER BY entry_id) AS position
  FROM report_links)
WHERE position > 1
GROUP BY entry_id;

CREATE VIEW usage_by_kind AS
SELECT
  CASE u.kind
    WHEN 1 THEN 'file' WHEN 2 THEN 'directory' WHEN 3 THEN 'package' WHEN 4 THEN 'symlink'
    WHEN 5 THEN 'fifo' WHEN 6 THEN 'socket' WHEN 7 THEN 'block_device'
    WHEN 8 THEN 'character_device'
  END AS kind,
  count(*) AS entries,
  sum(u.files) AS files,
  sum(u.size) AS size,
  sum(u.allocated - ifnull(r.allocated, 0)) AS allocated
FROM report_entries u LEFT JOIN repeated_links r ON r.entry_id = u.id
GROUP BY u.kind;

-- The plus sign keeps SQLite from reading the entries in the order of the index, row by row.
CREATE VIEW usage_by_type AS
SELECT
  (SELECT t.identifier FROM uniform_types t WHERE t.id = u.type_id) AS type,
  (SELECT t.description FROM uniform_types t WHERE t.id = u.type_id) AS description,
  count(*) AS entries,
  sum(u.files) AS files,
  sum(u.size) AS size,
  sum(u.allocated - ifnull(r.allocated, 0)) AS allocated
FROM report_entries u LEFT JOIN repeated_links r ON r.entry_id = u.id
GROUP BY +u.type_id;

-- Extensions as in the view files. The limits keep SQLite from putting an expression into each place
-- where its result is used. Directories have none.
CREATE VIEW usage_by_extension AS
SELECT
  CASE
    WHEN is_text THEN CASE WHEN instr(ending, ' ') = 0 THEN nullif(ending, '') END
    WHEN ending IS NOT NULL THEN (SELECT f.extension FROM entry_rows f WHERE f.id = ending)
  END AS extension,
  count(*) AS entries,
  sum(files) AS files,
  sum(size) AS size,
  sum(allocated) AS allocated
FROM (
  SELECT files, size, allocated, dot IS NOT NULL AS is_text,
    CASE WHEN dot > 1 THEN substr(name, dot + 1) WHEN dot IS NULL THEN id END AS ending
  FROM (
    SELECT u.id, u.name, u.files, u.size, u.allocated - ifnull(r.allocated, 0) AS allocated,
      CASE
        WHEN u.kind = 2 THEN 0
        WHEN typeof(u.name) = 'text' THEN
          CASE WHEN instr(u.name, '.') > 0 THEN length(rtrim(u.name, replace(u.name, '.', '')))
            ELSE 0 END
      END AS dot
    FROM report_entries u LEFT JOIN repeated_links r ON r.entry_id = u.id
    LIMIT -1)
  LIMIT -1)
GROUP BY 1;

CREATE VIEW usage_by_owner AS
SELECT
  (SELECT n.name FROM users n WHERE n.uid = u.uid) AS owner,
  u.uid,
  count(*) AS entries,
  sum(u.files) AS files,
  sum(u.size) AS size,
  sum(u.allocated - ifnull(r.allocated, 0)) AS allocated
FROM report_entries u LEFT JOIN repeated_links r ON r.entry_id = u.id
GROUP BY u.uid;

-- By the time since the last modification, in days of 24 hours: min_days <= age < max_days.
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
    CROSS JOIN report_entries u LEFT JOIN repeated_links r ON r.entry_id = u.id
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

-- Everything below a directory, from the stored totals; a package is one file here.
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

-- The thousand files and packages that take most space, each at one of its names.
CREATE VIEW largest_files AS
SELECT f.id, f.path, f.kind, f.type, f.size, f.allocated, f.modified, f.owner, f.links
FROM (
  SELECT u.id
  FROM report_entries u LEFT JOIN repeated_links r ON r.entry_id = u.id
  WHERE u.kind <> 2 AND (r.entry_id IS NULL OR u.kind = 3)
  ORDER BY u.allocated DESC, u.size DESC, u.id
  LIMIT 1000) l CROSS JOIN entry_rows f ON f.id = l.id
ORDER BY f.allocated DESC, f.size DESC, f.id;

-- Every name of the files that have several.
CREATE VIEW hard_link_names AS
SELECT f.id, l.volume_id, l.inode, l.links, l.allocated, f.kind, f.path
FROM report_links l JOIN entry_rows f ON f.id = l.entry_id;

-- The files that have several names: how many (links), how many of them are here (names), how many
-- must then be somewhere else (outside), and the bytes that are free when all names here are gone:
-- none while there are others. freed_with is the directory that has to go for that at least, where
-- one directory is enough. Of a file met only in packages, links, outside and freed are unknown.
CREATE VIEW hard_links AS
SELECT
  (SELECT v.device FROM volumes v WHERE v.id = g.volume_id) AS device,
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
      FROM entries e JOIN folders f ON f.id = e.parent_id WHERE e.id = g.first
      UNION ALL
      SELECT f.id, f.path, CAST(rtrim(f.path, '/') || '/' AS BLOB)
      FROM above a JOIN entries e ON e.id = a.id JOIN folders f ON f.id = e.parent_id
    )
    SELECT a.path FROM above a
    WHERE substr(g.lowest, 1, length(a.prefix)) = a.prefix
      AND substr(g.highest, 1, length(a.prefix)) = a.prefix
    LIMIT 1)
  END AS freed_with,
  (SELECT f.path FROM entry_rows f WHERE f.id = g.first) AS path
FROM (
  SELECT l.volume_id, l.inode, max(l.links) AS links, count(*) AS names, max(l.size) AS size,
    max(l.allocated) AS allocated, min(l.entry_id) AS first,
    min(CAST(rtrim(d.path, '/') || '/' AS BLOB)) AS lowest,
    max(CAST(rtrim(d.path, '/') || '/' AS BLOB)) AS highest
  FROM report_links l
    CROSS JOIN entries e ON e.id = l.entry_id
    CROSS JOIN folders d ON d.id = e.parent_id
  GROUP BY l.volume_id, l.inode) g;

CREATE VIEW broken_links AS
SELECT f.id, f.path, f.link_target, f.modified, f.owner
FROM report_entries u CROSS JOIN entry_rows f ON f.id = u.id
WHERE u.kind = 4 AND u.traits & 2;

-- Files of the same name and size, each at one of its names. copies is how many of them there are;
-- wasted is what goes, of all together, when one stays.
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
    FROM report_entries u CROSS JOIN (
      SELECT size, name FROM report_entries
      WHERE kind = 1 AND size > 0
      GROUP BY size, name
      HAVING min(inode) < max(inode) OR min(volume_id) < max(volume_id)) g
      ON g.size = u.size AND g.name = u.name
    WHERE u.kind = 1
    GROUP BY u.size, u.name, u.volume_id, u.inode)
) d CROSS JOIN entry_rows f ON f.id = d.id
ORDER BY d.wasted DESC, f.name, f.size, f.id;

-- What the content of files said, for finding duplicates. A row counts as long as the values beside
-- it are those of the file. Both are BLAKE2b of 32 bytes: of the first and the last block, and of
-- the whole content where that was needed.
CREATE TABLE content_hashes (
  volume_id INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  ends BLOB NOT NULL,
  whole BLOB,
  PRIMARY KEY (volume_id, inode)
) WITHOUT ROWID;
