-- Placeholder: how directories have changed from scan to scan.
CREATE VIEW growth_by_directory AS
SELECT
  NULL AS scan_id, NULL AS at, NULL AS root_id, NULL AS root, NULL AS directory_id, NULL AS path,
  NULL AS depth, 0 AS files, 0 AS directories, 0 AS size, 0 AS allocated, 0 AS total_files,
  0 AS total_directories, 0 AS total_size, 0 AS total_allocated
WHERE 0;
