-- Searches that people have given a name.
--
-- A query and an order are stored as the text that people write, so that what is stored can be read,
-- and be understood by later versions.
CREATE TABLE saved_searches (
  name TEXT PRIMARY KEY,
  query TEXT NOT NULL,
  -- Below which directory to look; NULL: everywhere. BLOB where it is not UTF-8.
  directory,
  -- NULL: in the order of the paths.
  sort TEXT,
  saved INTEGER NOT NULL
) WITHOUT ROWID;

CREATE VIEW searches AS
SELECT
  name, query, directory, sort,
  (saved - (saved % 1000000000 + 1000000000) % 1000000000) / 1000000000 AS saved_at
FROM saved_searches;
