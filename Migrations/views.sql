-- The views of a catalog: what everybody selects from. They only grow.
--
-- This file holds no data, so it is no migration: opening a catalog whose views were made from
-- another text makes them anew. The stock sqlite3 program reads all of them without any extension.
--
-- DuckDB does more: where it understands the text of a view it runs it itself, over the tables. So
-- what is here means the same to both: seconds are cut off before they are divided, yes and no are
-- 1 and 0. What only SQLite understands is in an internal view with the function likely(), which
-- DuckDB does not know: it leaves that one to SQLite and gets TEXT, from which the view above makes
-- numbers.
--
-- The comment above a view says what its rows are, in one sentence first; the data dictionary shows
-- that sentence, and leaves out the views that are called internal.
--
-- Times are seconds since 1970-01-01 UTC, rounded down; columns that end in _ns have nanoseconds.
-- Sizes are bytes. Text is valid UTF-8; where that is not what the bytes are, name_bytes and
-- path_bytes have these. Such views have a rowid as well: Datasette shows no BLOBs without one.

-- Entries -----------------------------------------------------------------------------------------

-- Internal: everything known of an entry, with the numbers that queries compare instead of words,
-- and with the exact bytes of names.
CREATE VIEW _entry_rows AS
SELECT
  e.id,
  ifnull(d.root_id, (SELECT r.id FROM _roots r WHERE r.entry_id = e.id)) AS root_id,
  (SELECT r.exact_path FROM _roots r
    WHERE r.id = ifnull(d.root_id, (SELECT q.id FROM _roots q WHERE q.entry_id = e.id))) AS root,
  e.parent_id,
  d.exact_path AS directory,
  e.name,
  CASE
    WHEN d.id IS NULL THEN (SELECT t.exact_path FROM _directory_paths t WHERE t.id = e.id)
    WHEN d.path = '/' THEN '/' || e.name
    ELSE d.exact_path || '/' || e.name
  END AS path,
  (SELECT k.name FROM _kinds k WHERE k.id = e.kind) AS kind,
  (SELECT t.identifier FROM _uniform_types t WHERE t.id = e.type_id) AS type,
  (SELECT x.exact_name FROM _extensions x WHERE x.id = e.extension_id) AS extension,
  e.extension_id,
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
  (SELECT s.exact_target FROM _symlinks s WHERE s.id = e.id) AS link_target,
  ifnull(d.depth + 1, 0) AS depth,
  (SELECT c.exact_name FROM _known_containers c WHERE c.id = p.container_id) AS container,
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
  (SELECT r.state FROM _roots r
    WHERE r.id = ifnull(d.root_id, (SELECT q.id FROM _roots q WHERE q.entry_id = e.id)))
    AS root_state,
  substr(e.name, 1, length(e.name) - ifnull((
    SELECT 1 + CASE typeof(e.name)
      WHEN 'blob' THEN length(CAST(x.exact_name AS BLOB)) ELSE length(x.exact_name) END
    FROM _extensions x WHERE x.id = e.extension_id), 0)) AS display_name,
  CASE
    WHEN e.kind IN (1, 3, 4) AND ifnull((SELECT a.extension_length FROM _assets a WHERE a.id = e.id),
      (e.name_shape >> 1) - 1) > 0
    THEN substr(e.name, 1 + length(e.name) - ifnull(
      (SELECT a.extension_length FROM _assets a WHERE a.id = e.id), (e.name_shape >> 1) - 1))
  END AS asset_ext,
  CASE typeof(e.name) WHEN 'blob' THEN e.name END AS name_bytes,
  CASE
    WHEN d.id IS NULL THEN (SELECT t.path_bytes FROM _directory_paths t WHERE t.id = e.id)
    WHEN typeof(e.name) = 'blob' OR d.path_bytes IS NOT NULL
      THEN CAST(rtrim(d.exact_path, '/') || '/' || e.name AS BLOB)
  END AS path_bytes,
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

-- Internal: the names that are TEXT, for DuckDB, which cannot read a column with TEXT and BLOBs.
CREATE VIEW _text_names AS
SELECT e.id, e.name FROM _entries e WHERE likely(typeof(e.name) = 'text');

-- Internal: the bytes of the paths that are not UTF-8, each written as DuckDB reads BLOBs: \xHH.
CREATE VIEW _written_paths AS
WITH RECURSIVE odd AS (
  SELECT e.id, hex(rtrim(d.exact_path, '/') || '/' || e.name) AS digits
  FROM _entries e JOIN _directory_paths d ON d.id = e.parent_id
  WHERE typeof(e.name) = 'blob' OR d.path_bytes IS NOT NULL
  UNION ALL
  SELECT d.id, hex(d.path_bytes) FROM _directory_paths d
  WHERE d.parent_id IS NULL AND d.path_bytes IS NOT NULL
),
written(id, text, rest) AS (
  SELECT id, '', digits FROM odd
  UNION ALL
  SELECT id, text || '\x' || substr(rest, 1, 2), substr(rest, 3) FROM written WHERE rest <> ''
)
SELECT id, text FROM written WHERE rest = '';

-- Internal: the same, run by SQLite.
CREATE VIEW _odd_paths AS
SELECT w.id, w.text FROM _written_paths w WHERE likely(1);

-- Internal: entries with their names as text. What a text is to SQLite tells it from DuckDB.
CREATE VIEW _shown_entries AS
SELECT
  e.id, e.parent_id,
  CASE
    WHEN typeof('') <> 'text' THEN ifnull(
      (SELECT o.name FROM _odd_names o WHERE o.id = e.id),
      (SELECT n.name FROM _text_names n WHERE n.id = CAST(e.id AS TEXT)))
    WHEN typeof(e.name) = 'text' THEN e.name
    ELSE (SELECT o.name FROM _odd_names o WHERE o.id = e.id)
  END AS name,
  CASE WHEN typeof('') <> 'text' OR typeof(e.name) = 'blob'
    THEN (SELECT o.bytes FROM _odd_names o WHERE o.id = e.id)
  END AS name_bytes,
  CASE WHEN typeof('') <> 'text' OR typeof(e.name) = 'blob'
    THEN ifnull((SELECT o.tail FROM _odd_names o WHERE o.id = e.id), e.name_shape >> 1)
    ELSE e.name_shape >> 1
  END AS asset_tail,
  CASE WHEN typeof('') <> 'text' OR typeof(e.name) = 'blob'
    THEN ifnull((SELECT o.ending FROM _odd_names o WHERE o.id = e.id), ifnull(
      (SELECT a.extension_length FROM _assets a WHERE a.id = e.id), (e.name_shape >> 1) - 1))
    ELSE ifnull(
      (SELECT a.extension_length FROM _assets a WHERE a.id = e.id), (e.name_shape >> 1) - 1)
  END AS asset_ending,
  e.name_shape, e.extension_id, e.type_id, e.kind, e.size, e.allocated, e.created, e.modified,
  e.changed, e.accessed, e.mode, e.uid, e.gid, e.inode, e.links, e.attributes, e.volume_id,
  e.traits, e.first_seen_scan, e.last_changed_scan
FROM _entries e;

-- Every file, directory, package, link and special file, one row each; a root is a row, too.
CREATE VIEW files AS
SELECT
  e.id,
  ifnull(d.root_id, (SELECT r.id FROM _roots r WHERE r.entry_id = e.id)) AS root_id,
  (SELECT r.path FROM _roots r
    WHERE r.id = ifnull(d.root_id, (SELECT q.id FROM _roots q WHERE q.entry_id = e.id))) AS root,
  e.parent_id,
  d.path AS directory,
  CAST(e.name AS TEXT) AS name,
  CAST(CASE
    WHEN d.id IS NULL THEN (SELECT t.path FROM _directory_paths t WHERE t.id = e.id)
    WHEN d.path = '/' THEN '/' || e.name
    ELSE d.path || '/' || e.name
  END AS TEXT) AS path,
  (SELECT k.name FROM _kinds k WHERE k.id = e.kind) AS kind,
  (SELECT t.identifier FROM _uniform_types t WHERE t.id = e.type_id) AS type,
  (SELECT x.name FROM _extensions x WHERE x.id = e.extension_id) AS extension,
  e.size,
  e.allocated,
  CAST((e.created - e.created % 1000000000) / 1000000000 AS BIGINT)
    - CASE WHEN e.created % 1000000000 < 0 THEN 1 ELSE 0 END AS created,
  CAST((e.modified - e.modified % 1000000000) / 1000000000 AS BIGINT)
    - CASE WHEN e.modified % 1000000000 < 0 THEN 1 ELSE 0 END AS modified,
  CAST((e.changed - e.changed % 1000000000) / 1000000000 AS BIGINT)
    - CASE WHEN e.changed % 1000000000 < 0 THEN 1 ELSE 0 END AS changed,
  CAST((e.accessed - e.accessed % 1000000000) / 1000000000 AS BIGINT)
    - CASE WHEN e.accessed % 1000000000 < 0 THEN 1 ELSE 0 END AS accessed,
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
  CAST(e.name_shape & 1 AS BIGINT) AS is_hidden,
  CAST((e.traits >> 2) & 1 AS BIGINT) AS is_package,
  (SELECT s.target FROM _symlinks s WHERE s.id = e.id) AS link_target,
  CAST(ifnull(d.depth + 1, 0) AS BIGINT) AS depth,
  (SELECT c.name FROM _known_containers c WHERE c.id = p.container_id) AS container,
  (SELECT r.name FROM _role_policies r WHERE r.id = p.role_id) AS role,
  (SELECT r.backup FROM _role_policies r WHERE r.id = p.role_id) AS backup_policy,
  CAST((SELECT CASE WHEN r.purge <> 'never' THEN 1 ELSE 0 END
    FROM _role_policies r WHERE r.id = p.role_id) AS BIGINT) AS purgeable,
  CAST(CASE WHEN e.kind IN (1, 3, 4) THEN substr(e.name, 1, length(e.name) - e.asset_tail)
  END AS TEXT) AS asset_stem,
  CASE WHEN e.kind IN (1, 3, 4) THEN (SELECT a.scale FROM _assets a WHERE a.id = e.id)
  END AS asset_scale,
  CAST(CASE WHEN e.kind IN (1, 3, 4) THEN (SELECT a.idiom FROM _assets a WHERE a.id = e.id)
  END AS TEXT) AS asset_idiom,
  CAST(CASE WHEN e.kind IN (1, 3, 4) THEN (SELECT a.height FROM _assets a WHERE a.id = e.id)
  END AS BIGINT) AS asset_height,
  CAST(CASE WHEN e.kind IN (1, 3, 4)
    THEN ifnull((SELECT a.hd FROM _assets a WHERE a.id = e.id), 0)
  END AS BIGINT) AS asset_hd,
  e.first_seen_scan,
  e.last_changed_scan,
  CAST(CASE e.kind
    WHEN 2 THEN (SELECT t.total_size FROM _directory_totals t WHERE t.id = e.id) WHEN 3 THEN e.size
  END AS BIGINT) AS total_size,
  CAST(CASE e.kind
    WHEN 2 THEN (SELECT t.total_allocated FROM _directory_totals t WHERE t.id = e.id)
    WHEN 3 THEN e.allocated
  END AS BIGINT) AS total_allocated,
  CAST(CASE e.kind
    WHEN 2 THEN (SELECT t.total_files FROM _directory_totals t WHERE t.id = e.id)
    WHEN 3 THEN (SELECT k.files FROM _packages k WHERE k.id = e.id)
  END AS BIGINT) AS total_files,
  (SELECT t.description FROM _uniform_types t WHERE t.id = e.type_id) AS type_description,
  CAST(CASE WHEN e.kind = 4 AND (e.traits & 2) <> 0 THEN 1 ELSE 0 END AS BIGINT) AS is_broken,
  (SELECT r.state FROM _roots r
    WHERE r.id = ifnull(d.root_id, (SELECT q.id FROM _roots q WHERE q.entry_id = e.id)))
    AS root_state,
  CAST(substr(e.name, 1, length(e.name) - ifnull(
    (SELECT length(x.name) + 1 FROM _extensions x WHERE x.id = e.extension_id), 0)) AS TEXT)
    AS display_name,
  CAST(CASE WHEN e.kind IN (1, 3, 4) AND e.asset_ending > 0
    THEN substr(e.name, length(e.name) - e.asset_ending + 1)
  END AS TEXT) AS asset_ext,
  CAST(e.name_bytes AS BLOB) AS name_bytes,
  CAST(CASE
    WHEN typeof('') <> 'text'
      THEN (SELECT o.text FROM _odd_paths o WHERE o.id = CAST(e.id AS TEXT))
    WHEN d.id IS NULL
      THEN (SELECT CAST(t.path_bytes AS TEXT) FROM _directory_paths t WHERE t.id = e.id)
    WHEN d.path_bytes IS NOT NULL OR e.name_bytes IS NOT NULL
      THEN rtrim(ifnull(CAST(d.path_bytes AS TEXT), d.path), '/') || '/'
        || ifnull(CAST(e.name_bytes AS TEXT), e.name)
  END AS BLOB) AS path_bytes,
  e.id AS rowid
FROM _shown_entries e
  LEFT JOIN _directory_paths d ON d.id = e.parent_id
  LEFT JOIN _places p ON p.id = CASE e.kind
    WHEN 2 THEN (SELECT o.place_id FROM _directory_paths o WHERE o.id = e.id)
    WHEN 3 THEN ifnull((SELECT k.place_id FROM _packages k WHERE k.id = e.id), d.place_id)
    ELSE d.place_id
  END;

-- The directory trees that the catalog holds, with how they are scanned and what they take.
--
-- The settings are JSON without spaces. They are looked at as text: in a view of a file that one
-- does not trust SQLite calls no function for JSON.
CREATE VIEW roots AS
SELECT
  r.id, r.path, r.state,
  r.last_scan_id AS last_scan,
  CAST((s.finished - s.finished % 1000000000) / 1000000000 AS BIGINT) AS last_scan_at,
  s.state AS last_scan_state,
  CAST(CASE WHEN instr(r.settings, '"excludes":[') > 0 THEN substr(r.behind, 1,
    CASE WHEN instr(r.behind, '],"') > 0 THEN instr(r.behind, '],"') ELSE length(r.behind) - 1 END)
  END AS TEXT) AS excludes,
  CAST(CASE WHEN instr(r.settings, '"boundary":"oneFileSystem"') > 0 THEN 1 ELSE 0 END AS BIGINT)
    AS one_file_system,
  CAST(CASE WHEN instr(r.settings, '"depth":"shallow"') > 0 THEN 1 ELSE 0 END AS BIGINT)
    AS shallow,
  CAST(CASE WHEN instr(r.settings, '"packages":"descend"') > 0 THEN 1 ELSE 0 END AS BIGINT)
    AS include_packages,
  (SELECT c.name FROM _directory_paths d JOIN _places p ON p.id = d.place_id
    JOIN _known_containers c ON c.id = p.container_id WHERE d.id = r.entry_id) AS container,
  CAST(ifnull(t.total_files + t.total_directories + 1, 0) AS BIGINT) AS entries,
  CAST(ifnull(t.total_size, 0) AS BIGINT) AS total_size,
  CAST(ifnull(t.total_allocated, 0) AS BIGINT) AS total_allocated,
  r.path_bytes,
  CAST(CASE WHEN instr(r.settings, '"gitIgnore":"followed"') > 0 THEN 1 ELSE 0 END AS BIGINT)
    AS gitignore,
  CAST(CASE WHEN instr(r.settings, '"skippedFileSystems":"') > 0
    THEN substr(r.file_systems, 1, instr(r.file_systems, '"') - 1) ELSE 'pseudo'
  END AS TEXT) AS skip_fs,
  r.id AS rowid
FROM (
    SELECT id, path, path_bytes, state, last_scan_id, entry_id, settings,
      substr(settings, instr(settings, '"excludes":[') + 11) AS behind,
      substr(settings, instr(settings, '"skippedFileSystems":"') + 22) AS file_systems
    FROM _roots) r
  LEFT JOIN _scan_log s ON s.id = r.last_scan_id
  LEFT JOIN _directory_totals t ON t.id = r.entry_id;

-- What each directory holds: its direct children, and everything below it.
CREATE VIEW directories AS
SELECT
  d.id, d.root_id, d.path, d.depth,
  t.files, t.directories, t.size, t.allocated,
  t.total_files, t.total_directories, t.total_size, t.total_allocated,
  CAST((t.newest_modified - t.newest_modified % 1000000000) / 1000000000 AS BIGINT)
    - CASE WHEN t.newest_modified % 1000000000 < 0 THEN 1 ELSE 0 END AS newest_modified,
  CAST(CASE t.state WHEN 0 THEN 'complete' WHEN 1 THEN 'unreadable' WHEN 2 THEN 'unscanned'
  END AS TEXT) AS state,
  t.error,
  d.path_bytes,
  d.id AS rowid
FROM _directory_paths d JOIN _directory_totals t ON t.id = d.id;

-- Further values of entries, stored by the scans that were asked for them.
CREATE VIEW resource_values AS
SELECT v.entry_id, f.path, v.key, v.value, f.path_bytes, f.id AS rowid
FROM _entry_values v JOIN files f ON f.id = v.entry_id;

-- The hashes of files, for scans that were asked for them.
CREATE VIEW values_hash AS
SELECT f.id AS entry_id, f.path,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'sha256') AS TEXT) AS sha256,
  f.path_bytes, f.id AS rowid
FROM _content_providers p JOIN _content_readings r ON r.provider_id = p.id
  JOIN files f ON f.id = r.entry_id
WHERE p.key = 'hash' AND r.state = 0 AND EXISTS (
  SELECT 1 FROM _entry_values v WHERE v.entry_id = r.entry_id AND v.provider_id = p.id);

-- What files grant beyond their permission bits, for scans that were asked for it.
CREATE VIEW values_acl AS
SELECT f.id AS entry_id, f.path,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'acl') AS TEXT) AS acl,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'default_acl') AS TEXT) AS default_acl,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'capabilities') AS TEXT) AS capabilities,
  f.path_bytes, f.id AS rowid
FROM _content_providers p JOIN _content_readings r ON r.provider_id = p.id
  JOIN files f ON f.id = r.entry_id
WHERE p.key = 'acl' AND r.state = 0 AND EXISTS (
  SELECT 1 FROM _entry_values v WHERE v.entry_id = r.entry_id AND v.provider_id = p.id);

-- Where files were loaded from, for scans that were asked for it.
CREATE VIEW values_origin AS
SELECT f.id AS entry_id, f.path,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'origin_url') AS TEXT) AS origin_url,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'referrer_url') AS TEXT) AS referrer_url,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'quarantine') AS TEXT) AS quarantine,
  f.path_bytes, f.id AS rowid
FROM _content_providers p JOIN _content_readings r ON r.provider_id = p.id
  JOIN files f ON f.id = r.entry_id
WHERE p.key = 'origin' AND r.state = 0 AND EXISTS (
  SELECT 1 FROM _entry_values v WHERE v.entry_id = r.entry_id AND v.provider_id = p.id);

-- What images say of themselves, for scans that were asked for it.
CREATE VIEW values_image AS
SELECT f.id AS entry_id, f.path,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'pixel_width') AS BIGINT) AS pixel_width,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'pixel_height') AS BIGINT) AS pixel_height,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'orientation') AS BIGINT) AS orientation,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'color_depth') AS BIGINT) AS color_depth,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'date_taken') AS TEXT) AS date_taken,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'camera') AS TEXT) AS camera,
  f.path_bytes, f.id AS rowid
FROM _content_providers p JOIN _content_readings r ON r.provider_id = p.id
  JOIN files f ON f.id = r.entry_id
WHERE p.key = 'image' AND r.state = 0 AND EXISTS (
  SELECT 1 FROM _entry_values v WHERE v.entry_id = r.entry_id AND v.provider_id = p.id);

-- What films and pieces of music say of themselves, for scans that were asked for it.
CREATE VIEW values_media AS
SELECT f.id AS entry_id, f.path,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'duration') AS DOUBLE) AS duration,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'pixel_width') AS BIGINT) AS pixel_width,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'pixel_height') AS BIGINT) AS pixel_height,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'video_codec') AS TEXT) AS video_codec,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'audio_codec') AS TEXT) AS audio_codec,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'sample_rate') AS BIGINT) AS sample_rate,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'channels') AS BIGINT) AS channels,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'title') AS TEXT) AS title,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'artist') AS TEXT) AS artist,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'album') AS TEXT) AS album,
  f.path_bytes, f.id AS rowid
FROM _content_providers p JOIN _content_readings r ON r.provider_id = p.id
  JOIN files f ON f.id = r.entry_id
WHERE p.key = 'media' AND r.state = 0 AND EXISTS (
  SELECT 1 FROM _entry_values v WHERE v.entry_id = r.entry_id AND v.provider_id = p.id);

-- What documents say of themselves, for scans that were asked for it.
CREATE VIEW values_document AS
SELECT f.id AS entry_id, f.path,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'page_count') AS BIGINT) AS page_count,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'title') AS TEXT) AS title,
  CAST((SELECT v.value FROM _entry_values v
    WHERE v.entry_id = r.entry_id AND v.key = 'author') AS TEXT) AS author,
  f.path_bytes, f.id AS rowid
FROM _content_providers p JOIN _content_readings r ON r.provider_id = p.id
  JOIN files f ON f.id = r.entry_id
WHERE p.key = 'document' AND r.state = 0 AND EXISTS (
  SELECT 1 FROM _entry_values v WHERE v.entry_id = r.entry_id AND v.provider_id = p.id);

-- Types -------------------------------------------------------------------------------------------

-- The uniform types that the catalog knows.
CREATE VIEW types AS
SELECT
  identifier,
  description,
  CAST(flags & 1 AS BIGINT) AS is_package,
  CAST((flags >> 2) & 1 AS BIGINT) AS is_dynamic,
  source
FROM _uniform_types
WHERE (flags & 8) = 0;

-- Which type conforms to which; every type conforms to itself.
CREATE VIEW type_conformance AS
SELECT t.identifier AS identifier, a.identifier AS ancestor
FROM _uniform_type_conformance c
JOIN _uniform_types t ON t.id = c.type_id
JOIN _uniform_types a ON a.id = c.ancestor_id;

-- The filename extensions and MIME types of types, the preferred ones first.
CREATE VIEW type_tags AS
SELECT t.identifier AS identifier, g.class AS class, g.tag AS tag,
  CAST(CASE WHEN g.rank < 0 THEN 0 ELSE g.rank END AS BIGINT) AS rank
FROM _uniform_type_tags g JOIN _uniform_types t ON t.id = g.type_id
WHERE g.rank >= 0 OR NOT EXISTS (
  SELECT 1 FROM _uniform_type_tags o
  WHERE o.class = g.class AND o.tag = g.tag AND o.rank = 0 AND o.type_id = g.type_id);

-- Scans and history -------------------------------------------------------------------------------

-- Every scan of every root.
CREATE VIEW scans AS
SELECT
  id, root_id, root,
  CAST((started - started % 1000000000) / 1000000000 AS BIGINT) AS started_at,
  CAST((finished - finished % 1000000000) / 1000000000 AS BIGINT) AS finished_at,
  state, entries, added, removed, modified, moved, errors,
  CAST((finished - started) / 1e9 AS DOUBLE) AS seconds
FROM _scan_log;

-- What scans could not read.
CREATE VIEW scan_errors AS
SELECT scan_id, path, operation, errno, message, path_bytes, id AS rowid FROM _scan_failures;

-- What each scan found changed; a first scan is what changes are counted from, and has none.
CREATE VIEW changes AS
SELECT
  c.id, c.scan_id,
  CAST((s.finished - s.finished % 1000000000) / 1000000000 AS BIGINT) AS at,
  CAST(CASE c.kind
    WHEN 1 THEN 'added' WHEN 2 THEN 'removed' WHEN 3 THEN 'modified' WHEN 4 THEN 'moved'
  END AS TEXT) AS kind,
  c.entry_id,
  (SELECT k.name FROM _kinds k WHERE k.id = c.entry_kind) AS entry_kind,
  c.path, c.old_path, c.fields, c.size, c.old_size,
  c.modified AS modified_ns, c.old_modified AS old_modified_ns,
  c.path_bytes, c.old_path_bytes, c.id AS rowid
FROM _change_log c JOIN _scan_log s ON s.id = c.scan_id
WHERE c.is_content = 0;

-- By how much each scan changed the sums of each directory.
--
-- The change between two scans of a directory is the sum of its rows after the first of them.
CREATE VIEW growth_by_directory AS
SELECT
  g.scan_id,
  CAST((s.finished - s.finished % 1000000000) / 1000000000 AS BIGINT) AS at,
  g.root_id, s.root,
  g.directory_id, g.path, g.depth,
  g.files, g.directories, g.size, g.allocated,
  g.total_files, g.total_directories, g.total_size, g.total_allocated,
  g.path_bytes, g.directory_id AS rowid
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
-- Reports read entries only through _report_entries, _report_links, _repeated_links, _report_sums,
-- _report_hours and _report_places. A program that puts common table expressions with these names before a report's
-- statement gets the same report about fewer entries.

-- Internal: what each entry contributes to reports.
CREATE VIEW _report_entries AS
SELECT
  e.id, e.parent_id, e.name, e.kind, e.type_id, e.extension_id,
  e.name_shape >> 1 AS asset_tail, e.uid, e.gid,
  ifnull(e.modified - e.modified % 3600000000000, 1) AS modified_hour,
  ifnull(e.accessed - e.accessed % 3600000000000, 1) AS accessed_hour, e.inode, e.volume_id, e.traits,
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

-- Internal: what the entries of one kind, type, extension and owner come to, as kept in _usage_sums;
-- what packages hold and what counts elsewhere beside it.
CREATE VIEW _report_sums AS
SELECT
  s.kind, s.type_id, nullif(s.extension_id, 0) AS extension_id, nullif(s.uid, -1) AS uid, s.entries,
  CASE WHEN s.kind IN (2, 3) THEN 0 ELSE s.entries END AS files, s.size, s.allocated
FROM _usage_sums s WHERE s.entries <> 0
UNION ALL
SELECT e.kind, e.type_id, e.extension_id, e.uid, 0, p.files, 0, 0
FROM _packages p JOIN _entries e ON e.id = p.id
UNION ALL
SELECT e.kind, e.type_id, e.extension_id, e.uid, 0, 0, 0, -r.allocated
FROM _repeated_links r JOIN _entries e ON e.id = r.entry_id;

-- Internal: what the entries that were modified in one hour come to, as kept in _usage_hours; what packages
-- hold and what counts elsewhere beside it.
CREATE VIEW _report_hours AS
SELECT
  h.modified_hour, h.entries, CASE WHEN h.kind IN (2, 3) THEN 0 ELSE h.entries END AS files, h.size,
  h.allocated
FROM _usage_hours h WHERE h.entries <> 0
UNION ALL
SELECT u.modified_hour, 0, p.files, 0, 0
FROM _packages p JOIN _report_entries u ON u.id = p.id
UNION ALL
SELECT u.modified_hour, 0, 0, 0, -r.allocated
FROM _repeated_links r JOIN _report_entries u ON u.id = r.entry_id;

-- Internal: what the entries of one place among the containers come to, as kept in _usage_places; what
-- packages hold, those that are a place themselves, and what counts elsewhere beside it.
CREATE VIEW _report_places AS
SELECT
  nullif(s.place_id, -1) AS place_id, s.entries,
  CASE WHEN s.kind IN (2, 3) THEN 0 ELSE s.entries END AS files, s.size, s.allocated
FROM _usage_places s WHERE s.entries <> 0
UNION ALL
SELECT ifnull(p.place_id, d.place_id), 0, p.files, 0, 0
FROM _packages p CROSS JOIN _entries e LEFT JOIN _directory_paths d ON d.id = e.parent_id
WHERE e.id = p.id
UNION ALL
SELECT p.place_id, 1, 0, ifnull(e.size, 0), ifnull(e.allocated, 0)
FROM _packages p JOIN _entries e ON e.id = p.id WHERE p.place_id IS NOT NULL
UNION ALL
SELECT d.place_id, -1, 0, -ifnull(e.size, 0), -ifnull(e.allocated, 0)
FROM _packages p JOIN _entries e ON e.id = p.id LEFT JOIN _directory_paths d ON d.id = e.parent_id
WHERE p.place_id IS NOT NULL
UNION ALL
SELECT ifnull(p.place_id, d.place_id), 0, 0, 0, -r.allocated
FROM _repeated_links r JOIN _entries e ON e.id = r.entry_id
  LEFT JOIN _directory_paths d ON d.id = e.parent_id LEFT JOIN _packages p ON p.id = e.id;

-- What files, directories, packages and links take.
CREATE VIEW usage_by_kind AS
SELECT
  (SELECT k.name FROM _kinds k WHERE k.id = u.kind) AS kind,
  CAST(sum(u.entries) AS BIGINT) AS entries,
  CAST(sum(u.files) AS BIGINT) AS files,
  CAST(sum(u.size) AS BIGINT) AS size,
  CAST(sum(u.allocated) AS BIGINT) AS allocated
FROM _report_sums u
GROUP BY u.kind;

-- What the files of each uniform type take.
CREATE VIEW usage_by_type AS
SELECT t.identifier AS type, t.description, g.entries, g.files, g.size, g.allocated
FROM (
  SELECT
    u.type_id,
    CAST(sum(u.entries) AS BIGINT) AS entries,
    CAST(sum(u.files) AS BIGINT) AS files,
    CAST(sum(u.size) AS BIGINT) AS size,
    CAST(sum(u.allocated) AS BIGINT) AS allocated
  FROM _report_sums u
  GROUP BY u.type_id) g LEFT JOIN _uniform_types t ON t.id = g.type_id;

-- What the files with each extension take; directories count as having none.
CREATE VIEW usage_by_extension AS
SELECT
  (SELECT x.name FROM _extensions x WHERE x.id = g.extension_id) AS extension,
  g.entries, g.files, g.size, g.allocated
FROM (
  SELECT
    CASE WHEN u.kind <> 2 THEN u.extension_id END AS extension_id,
    CAST(sum(u.entries) AS BIGINT) AS entries,
    CAST(sum(u.files) AS BIGINT) AS files,
    CAST(sum(u.size) AS BIGINT) AS size,
    CAST(sum(u.allocated) AS BIGINT) AS allocated
  FROM _report_sums u
  GROUP BY 1) g;

-- What each owner's files and directories take.
CREATE VIEW usage_by_owner AS
SELECT
  (SELECT n.name FROM _users n WHERE n.uid = g.uid) AS owner,
  g.uid, g.entries, g.files, g.size, g.allocated
FROM (
  SELECT
    CAST(u.uid AS BIGINT) AS uid,
    CAST(sum(u.entries) AS BIGINT) AS entries,
    CAST(sum(u.files) AS BIGINT) AS files,
    CAST(sum(u.size) AS BIGINT) AS size,
    CAST(sum(u.allocated) AS BIGINT) AS allocated
  FROM _report_sums u
  GROUP BY 1) g;

-- Internal: the spans of age, from young to old.
CREATE VIEW _ages AS
SELECT 1 AS position, 'under a day' AS age, 0 AS min_days, 1 AS max_days
UNION ALL SELECT 2, 'under a week', 1, 7
UNION ALL SELECT 3, 'under 30 days', 7, 30
UNION ALL SELECT 4, 'under 90 days', 30, 90
UNION ALL SELECT 5, 'under a year', 90, 365
UNION ALL SELECT 6, 'under 2 years', 365, 730
UNION ALL SELECT 7, 'under 5 years', 730, 1825
UNION ALL SELECT 8, '5 years and more', 1825, NULL
UNION ALL SELECT 9, 'in the future', NULL, 0
UNION ALL SELECT 10, 'unknown', NULL, NULL;

-- Internal: what was modified how long ago, as the clock of SQLite has it, by the hour.
CREATE VIEW _usage_by_age AS
SELECT
  CASE
    WHEN u.modified_hour = 1 THEN 10
    WHEN u.modified_hour > n.hour THEN 9
    WHEN u.modified_hour > n.hour - 86400000000000 THEN 1
    WHEN u.modified_hour > n.hour - 604800000000000 THEN 2
    WHEN u.modified_hour > n.hour - 2592000000000000 THEN 3
    WHEN u.modified_hour > n.hour - 7776000000000000 THEN 4
    WHEN u.modified_hour > n.hour - 31536000000000000 THEN 5
    WHEN u.modified_hour > n.hour - 63072000000000000 THEN 6
    WHEN u.modified_hour > n.hour - 157680000000000000 THEN 7
    ELSE 8
  END AS position,
  sum(u.entries) AS entries,
  sum(u.files) AS files,
  sum(u.size) AS size,
  sum(u.allocated) AS allocated
FROM (
    SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000000000
      - CAST(strftime('%s', 'now') AS INTEGER) % 3600 * 1000000000 AS hour
    WHERE likely(1)) n
  CROSS JOIN _report_hours u
GROUP BY 1;

-- What was modified how long ago, in days of 24 whole hours: min_days <= age < max_days.
CREATE VIEW usage_by_age AS
SELECT
  CAST(a.age AS TEXT) AS age,
  CAST(a.min_days AS BIGINT) AS min_days,
  CAST(a.max_days AS BIGINT) AS max_days,
  CAST(g.entries AS BIGINT) AS entries,
  CAST(g.files AS BIGINT) AS files,
  CAST(g.size AS BIGINT) AS size,
  CAST(g.allocated AS BIGINT) AS allocated
FROM _usage_by_age g JOIN _ages a ON a.position = CAST(g.position AS BIGINT)
ORDER BY a.position;

-- Internal: what was last read how long ago, as the clock of SQLite has it, by the hour.
CREATE VIEW _usage_by_access_age AS
SELECT
  CASE
    WHEN u.accessed_hour = 1 THEN 10
    WHEN u.accessed_hour > n.hour THEN 9
    ELSE (SELECT min(a.position) FROM _ages a WHERE a.min_days IS NOT NULL
      AND (a.max_days IS NULL OR u.accessed_hour > n.hour - a.max_days * 86400000000000))
  END AS position,
  sum(u.entries) AS entries,
  sum(u.files) AS files,
  sum(u.size) AS size,
  sum(u.allocated) AS allocated
FROM (
    SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000000000
      - CAST(strftime('%s', 'now') AS INTEGER) % 3600 * 1000000000 AS hour
    WHERE likely(1)) n
  CROSS JOIN (
    SELECT e.accessed_hour, sum(1) AS entries, sum(e.files) AS files, sum(e.size) AS size,
      sum(e.allocated - ifnull(r.allocated, 0)) AS allocated
    FROM _report_entries e LEFT JOIN _repeated_links r ON r.entry_id = e.id
    GROUP BY e.accessed_hour) u
GROUP BY 1;

-- What was last read how long ago, in days of 24 whole hours: min_days <= age < max_days.
CREATE VIEW usage_by_access_age AS
SELECT
  CAST(a.age AS TEXT) AS age,
  CAST(a.min_days AS BIGINT) AS min_days,
  CAST(a.max_days AS BIGINT) AS max_days,
  CAST(g.entries AS BIGINT) AS entries,
  CAST(g.files AS BIGINT) AS files,
  CAST(g.size AS BIGINT) AS size,
  CAST(g.allocated AS BIGINT) AS allocated
FROM _usage_by_access_age g JOIN _ages a ON a.position = CAST(g.position AS BIGINT)
ORDER BY a.position;

-- What each group's files and directories take.
CREATE VIEW usage_by_group AS
SELECT
  (SELECT n.name FROM _groups n WHERE n.gid = g.gid) AS group_name,
  g.gid, g.entries, g.files, g.size, g.allocated
FROM (
  SELECT
    CAST(u.gid AS BIGINT) AS gid,
    CAST(count(*) AS BIGINT) AS entries,
    CAST(sum(u.files) AS BIGINT) AS files,
    CAST(sum(u.size) AS BIGINT) AS size,
    CAST(sum(u.allocated - ifnull(r.allocated, 0)) AS BIGINT) AS allocated
  FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id
  GROUP BY 1) g;

-- Internal: the classes of size, from small to large.
CREATE VIEW _size_classes AS
SELECT 1 AS position, 'empty' AS size_class, 0 AS min_size, 1 AS max_size
UNION ALL SELECT 2, 'under 4 KiB', 1, 4096
UNION ALL SELECT 3, 'under 64 KiB', 4096, 65536
UNION ALL SELECT 4, 'under 1 MiB', 65536, 1048576
UNION ALL SELECT 5, 'under 16 MiB', 1048576, 16777216
UNION ALL SELECT 6, 'under 256 MiB', 16777216, 268435456
UNION ALL SELECT 7, 'under 4 GiB', 268435456, 4294967296
UNION ALL SELECT 8, '4 GiB and more', 4294967296, NULL
UNION ALL SELECT 9, 'directory', NULL, NULL;

-- How many files there are of which size: min_size <= size < max_size, in bytes of content.
CREATE VIEW usage_by_size AS
SELECT
  CAST(c.size_class AS TEXT) AS size_class,
  CAST(c.min_size AS BIGINT) AS min_size,
  CAST(c.max_size AS BIGINT) AS max_size,
  g.entries, g.files, g.size, g.allocated
FROM (
  SELECT
    CASE
      WHEN u.kind = 2 THEN 9 WHEN u.size < 1 THEN 1 WHEN u.size < 4096 THEN 2
      WHEN u.size < 65536 THEN 3 WHEN u.size < 1048576 THEN 4 WHEN u.size < 16777216 THEN 5
      WHEN u.size < 268435456 THEN 6 WHEN u.size < 4294967296 THEN 7 ELSE 8
    END AS position,
    CAST(count(*) AS BIGINT) AS entries,
    CAST(sum(u.files) AS BIGINT) AS files,
    CAST(sum(u.size) AS BIGINT) AS size,
    CAST(sum(u.allocated - ifnull(r.allocated, 0)) AS BIGINT) AS allocated
  FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id
  GROUP BY 1) g JOIN _size_classes c ON c.position = g.position
ORDER BY c.position;

-- What each directory takes with everything below it; a package is one file here.
CREATE VIEW usage_by_directory AS
SELECT
  d.id, d.root_id, d.path, d.depth,
  d.total_files AS files,
  d.total_directories AS directories,
  d.total_size AS size,
  d.total_allocated AS allocated,
  d.newest_modified,
  d.state,
  d.path_bytes,
  d.id AS rowid
FROM directories d;

-- Internal: what the entries of each place among the containers take; place 0 is in none.
CREATE VIEW _usage_by_place AS
SELECT
  s.place_id, CAST(sum(s.entries) AS BIGINT) AS entries, CAST(sum(s.files) AS BIGINT) AS files,
  CAST(sum(s.size) AS BIGINT) AS size, CAST(sum(s.allocated) AS BIGINT) AS allocated
FROM _report_places s
GROUP BY s.place_id
HAVING sum(s.entries) <> 0;

-- What the files of each role of containers take, and its policy; role is NULL for what has none.
CREATE VIEW usage_by_role AS
SELECT
  g.role, p.backup AS backup_policy,
  CAST(CASE WHEN p.purge <> 'never' THEN 1 WHEN p.purge = 'never' THEN 0 END AS BIGINT)
    AS purgeable,
  g.entries, g.files, g.size, g.allocated
FROM (
  SELECT
    (SELECT r.name FROM _places p JOIN _role_policies r ON r.id = p.role_id
      WHERE p.id = u.place_id) AS role,
    CAST(sum(u.entries) AS BIGINT) AS entries, CAST(sum(u.files) AS BIGINT) AS files,
    CAST(sum(u.size) AS BIGINT) AS size, CAST(sum(u.allocated) AS BIGINT) AS allocated
  FROM _usage_by_place u
  GROUP BY 1) g LEFT JOIN _role_policies p ON p.name = g.role;

-- What each role of each container takes, without what is in none.
CREATE VIEW usage_by_container AS
SELECT
  c.name AS container, r.name AS role, r.backup AS backup_policy,
  CAST(CASE WHEN r.purge <> 'never' THEN 1 WHEN r.purge = 'never' THEN 0 END AS BIGINT)
    AS purgeable,
  u.entries, u.files, u.size, u.allocated,
  c.id AS container_id, u.place_id
FROM _usage_by_place u
  JOIN _places p ON p.id = u.place_id
  JOIN _known_containers c ON c.id = p.container_id
  LEFT JOIN _role_policies r ON r.id = p.role_id;

-- The thousand files and packages that take most space, each at one of its names.
CREATE VIEW largest_files AS
SELECT f.id, f.path, f.kind, f.type, f.size, f.allocated, f.modified, f.owner, f.links,
  f.path_bytes, f.id AS rowid
FROM (
  SELECT u.id
  FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id
  WHERE u.kind <> 2 AND (r.entry_id IS NULL OR u.kind = 3)
  ORDER BY u.allocated DESC, u.size DESC, u.id
  LIMIT 1000) l CROSS JOIN files f
WHERE f.id = l.id
ORDER BY f.allocated DESC, f.size DESC, f.id;

-- Every name of the files with several names.
CREATE VIEW hard_link_names AS
SELECT f.id, l.volume_id, l.inode, l.links, l.allocated, f.kind, f.path, f.path_bytes,
  f.id AS rowid
FROM _report_links l JOIN files f ON f.id = l.entry_id;

-- Internal: the files with several names. The paths are compared byte by byte.
CREATE VIEW _hard_links AS
SELECT
  g.volume_id,
  g.inode,
  g.links,
  g.names,
  max(g.links - g.names, 0) AS outside,
  g.size,
  g.allocated,
  CASE WHEN g.links <= g.names THEN g.allocated WHEN g.links IS NOT NULL THEN 0 END AS freed,
  CASE WHEN g.links <= g.names THEN (
    WITH RECURSIVE above(id, prefix) AS (
      SELECT f.id, CAST(rtrim(f.exact_path, '/') || '/' AS BLOB)
      FROM _entries e JOIN _directory_paths f ON f.id = e.parent_id WHERE e.id = g.first
      UNION
      SELECT f.id, CAST(rtrim(f.exact_path, '/') || '/' AS BLOB)
      FROM above a JOIN _entries e ON e.id = a.id JOIN _directory_paths f ON f.id = e.parent_id
    )
    SELECT a.id FROM above a
    WHERE substr(g.lowest, 1, length(a.prefix)) = a.prefix
      AND substr(g.highest, 1, length(a.prefix)) = a.prefix
    LIMIT 1)
  END AS freed_with_id,
  g.first AS entry_id
FROM (
  SELECT l.volume_id, l.inode, max(l.links) AS links, count(*) AS names, max(l.size) AS size,
    max(l.allocated) AS allocated, min(l.entry_id) AS first,
    min(CAST(rtrim(d.exact_path, '/') || '/' AS BLOB)) AS lowest,
    max(CAST(rtrim(d.exact_path, '/') || '/' AS BLOB)) AS highest
  FROM _report_links l
    CROSS JOIN _entries e ON e.id = l.entry_id
    CROSS JOIN _directory_paths d ON d.id = e.parent_id
  GROUP BY l.volume_id, l.inode) g;

-- Internal: the same, run by SQLite.
CREATE VIEW _hard_links_as_text AS
SELECT volume_id, inode, links, names, outside, size, allocated, freed, freed_with_id, entry_id
FROM _hard_links WHERE likely(1);

-- The files with several names, and what deleting the names here would really free.
--
-- How many names there are (links), how many of them are here (names), how many
-- must then be somewhere else (outside), and the bytes that are free when all names here are gone:
-- none while there are others. freed_with is the directory that has to go for that at least, where
-- one directory is enough. Of a file met only in packages, links, outside and freed are unknown.
CREATE VIEW hard_links AS
SELECT
  v.device,
  CAST(g.inode AS BIGINT) AS inode,
  CAST(g.links AS BIGINT) AS links,
  CAST(g.names AS BIGINT) AS names,
  CAST(g.outside AS BIGINT) AS outside,
  CAST(g.size AS BIGINT) AS size,
  CAST(g.allocated AS BIGINT) AS allocated,
  CAST(g.freed AS BIGINT) AS freed,
  d.path AS freed_with,
  f.path,
  f.path_bytes,
  d.path_bytes AS freed_with_bytes,
  f.id AS rowid
FROM _hard_links_as_text g CROSS JOIN files f
  LEFT JOIN _directory_paths d ON d.id = CAST(g.freed_with_id AS BIGINT)
  LEFT JOIN _volumes v ON v.id = CAST(g.volume_id AS BIGINT)
WHERE f.id = CAST(g.entry_id AS BIGINT);

-- The symbolic links that lead nowhere.
CREATE VIEW broken_links AS
SELECT f.id, f.path, f.link_target, f.modified, f.owner, f.path_bytes, f.id AS rowid
FROM _report_entries u CROSS JOIN files f
WHERE f.id = u.id AND u.kind = 4 AND (u.traits & 2) <> 0;

-- Internal: of the files of the same name and size the first name each.
CREATE VIEW _duplicates AS
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
  GROUP BY u.size, u.name, u.volume_id, u.inode);

-- Internal: the same, run by SQLite.
CREATE VIEW _duplicates_as_text AS
SELECT id, copies, wasted FROM _duplicates WHERE likely(1);

-- The files of the same name and size, each at one of its names.
--
-- copies is how many of them there are; wasted is what goes, of all together, when one stays.
CREATE VIEW duplicate_candidates AS
SELECT
  f.name, f.size, CAST(d.copies AS BIGINT) AS copies, CAST(d.wasted AS BIGINT) AS wasted,
  f.allocated, f.modified, f.id, f.path, f.name_bytes, f.path_bytes, f.id AS rowid
FROM _duplicates_as_text d CROSS JOIN files f
WHERE f.id = CAST(d.id AS BIGINT)
ORDER BY 4 DESC, f.name, f.size, f.id;

-- Searches that people have given a name.
CREATE VIEW searches AS
SELECT
  s.name, s.query, d.path AS directory, s.sort,
  CAST((s.saved - s.saved % 1000000000) / 1000000000 AS BIGINT)
    - CASE WHEN s.saved % 1000000000 < 0 THEN 1 ELSE 0 END AS saved_at,
  s.levels
FROM _saved_searches s
  LEFT JOIN (SELECT search, min(id) AS id FROM _searched_directories GROUP BY search) f
    ON f.search = s.name
  LEFT JOIN _searched_directories d ON d.id = f.id;

-- The directories below which saved searches look. One that has none looks everywhere.
CREATE VIEW search_directories AS
SELECT search, path, path_bytes, id AS rowid FROM _searched_directories;

-- Containers and assets ---------------------------------------------------------------------------

-- What a directory of a container is for, and what that promises of its files: the standard roles, and those that
-- were declared, with the directory that they have in that of another role.
CREATE VIEW roles AS
SELECT r.name AS role, r.persists, r.backup AS backup_policy, r.purge,
  CAST(CASE WHEN r.purge <> 'never' THEN 1 ELSE 0 END AS BIGINT) AS purgeable, r.writer,
  (SELECT p.name FROM _role_policies p WHERE p.id = r.parent_id) AS parent_role,
  r.directory AS directory_pattern
FROM _role_policies r;

-- The containers that somebody has registered.
CREATE VIEW containers AS
SELECT id, name AS container, style, path, identifier, path_bytes, id AS rowid
FROM _known_containers;

-- Internal: the entries that are marked, and by what.
CREATE VIEW _backup_marks AS
SELECT v.entry_id, substr(v.key, 7) AS mark
FROM _entry_values v
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
SELECT e.parent_id, 'CACHEDIR.TAG' FROM _cache_tags t JOIN _entries e ON e.id = t.id
WHERE t.is_tag;

-- Internal: the same, run by SQLite.
CREATE VIEW _backup_marks_as_text AS
SELECT entry_id, mark FROM _backup_marks WHERE likely(1);

-- What the disk says of backups, whatever the role promises.
--
-- Marks by extended attributes, which are known where scans store these, and directories that are
-- tagged as caches.
CREATE VIEW backup_marks AS
SELECT f.id AS entry_id, f.path, CAST(m.mark AS TEXT) AS mark, f.container, f.role,
  f.backup_policy, f.path_bytes, f.id AS rowid
FROM _backup_marks_as_text m JOIN files f ON f.id = CAST(m.entry_id AS BIGINT);

-- Internal: what asset_gaps says. Names are taken apart as they are, and shown at the end.
CREATE VIEW _asset_gaps AS
WITH marked AS (
  SELECT u.id, u.parent_id, substr(u.name, 1, length(u.name) - u.asset_tail) AS stem,
    substr(u.name, length(u.name) - a.extension_length + 1) AS extension,
    a.idiom, a.height, a.hd, ifnull(a.scale, 1) AS scale
  FROM _assets a JOIN _report_entries u ON u.id = a.id
  WHERE u.kind IN (1, 3, 4)
),
variants AS (
  SELECT id, parent_id, stem, extension, idiom, height, hd, scale, 0 AS is_plain FROM marked
  UNION ALL
  SELECT e.id, m.parent_id, m.stem, m.extension, NULL, NULL, 0, 1, 1
  FROM (SELECT DISTINCT parent_id, stem, extension FROM marked) m
  JOIN _entries e ON e.parent_id = m.parent_id AND e.kind IN (1, 3, 4) AND e.name = CASE
    WHEN length(m.extension) = 0 THEN m.stem
    WHEN typeof(m.stem) = 'text' AND typeof(m.extension) = 'text' THEN m.stem || '.' || m.extension
    ELSE CAST(CAST(m.stem AS BLOB) || x'2e' || CAST(m.extension AS BLOB) AS BLOB)
  END
),
gaps AS (
  SELECT min(id) AS id, parent_id, stem, extension, idiom, height, hd, has_plain,
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
  g.parent_id,
  CASE typeof(g.stem) WHEN 'text' THEN g.stem
    ELSE (SELECT substr(o.name, 1, length(o.name) - o.tail) FROM _odd_names o WHERE o.id = g.id)
  END AS stem,
  CASE typeof(g.extension) WHEN 'text' THEN g.extension
    ELSE (SELECT substr(o.name, length(o.name) - o.ending + 1) FROM _odd_names o WHERE o.id = g.id)
  END AS extension,
  g.idiom, g.height, g.hd, g.scales, g.missing_scales, g.has_plain
FROM gaps g
WHERE g.missing_scales IS NOT NULL OR NOT g.has_plain;

-- Internal: the same, run by SQLite.
CREATE VIEW _asset_gaps_as_text AS
SELECT parent_id, stem, extension, idiom, height, hd, scales, missing_scales, has_plain
FROM _asset_gaps WHERE likely(1);

-- Variants of assets of which a scale, or the plain one, is missing.
--
-- One row for the variants of a stem in a directory that differ in scale only. scales: those that
-- are there, 1 standing for none. missing_scales: those up to the largest of the stem that are not
-- there. has_plain: whether the name without any mark exists.
CREATE VIEW asset_gaps AS
SELECT
  d.path,
  CAST(g.stem AS TEXT) AS stem,
  CAST(g.extension AS TEXT) AS extension,
  CAST(g.idiom AS TEXT) AS idiom,
  CAST(g.height AS BIGINT) AS height,
  CAST(g.hd AS BIGINT) AS hd,
  CAST(g.scales AS TEXT) AS scales,
  CAST(g.missing_scales AS TEXT) AS missing_scales,
  CAST(g.has_plain AS BIGINT) AS has_plain,
  d.path_bytes,
  d.id AS rowid
FROM _asset_gaps_as_text g LEFT JOIN _directory_paths d ON d.id = CAST(g.parent_id AS BIGINT);
