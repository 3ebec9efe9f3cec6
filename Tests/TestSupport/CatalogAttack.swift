/// A way to damage a catalog, or to prepare one for somebody else to open.
package struct CatalogAttack: Sendable, CustomStringConvertible {
  package enum Change: Sendable {
    /// Statements, run by whoever may write to the schema.
    case sql(String)
    case bytes(@Sendable (inout [UInt8]) -> Void)
  }

  package let description: String
  package let change: Change
  /// Whether it changes what the file has rather than what is in it.
  package var isOfSchema = false

  private static func sql(_ text: String) -> CatalogAttack {
    CatalogAttack(description: text, change: .sql(text))
  }

  private static func schema(_ text: String) -> CatalogAttack {
    CatalogAttack(description: text, change: .sql(text), isOfSchema: true)
  }

  // MARK: - Values

  /// A column of a table, and whether the rows of the table have numbers of their own.
  package struct Column: Sendable {
    let table: String
    let name: String
    let isOfNumberedRows: Bool

    package init(_ table: String, _ name: String, isOfNumberedRows: Bool) {
      self.table = table
      self.name = name
      self.isOfNumberedRows = isOfNumberedRows
    }
  }

  /// What no column of a sound catalog holds.
  private static let values = [
    "9223372036854775807", "-9223372036854775808", "-1", "0", "1.5", "'text'", "x'00'",
    "printf('%.*c', 2000000, 'x')", "4611686018427387904", "1e300",
  ]

  /// Each of some values in each column: in all rows, and in one.
  package static func values(in columns: [Column]) -> [CatalogAttack] {
    columns.flatMap { column in
      let all = values.map {
        sql("UPDATE OR IGNORE \(column.table) SET \(column.name) = \($0)")
      }
      guard column.isOfNumberedRows else { return all }
      let missing =
        """
        PRAGMA writable_schema = ON;
        CREATE TEMP TABLE sound AS SELECT sql FROM sqlite_schema WHERE name = '\(column.table)';
        UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = '\(column.table)';
        PRAGMA writable_schema = RESET;
        UPDATE OR IGNORE \(column.table) SET \(column.name) = NULL;
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = (SELECT sql FROM sound) WHERE name = '\(column.table)';
        PRAGMA writable_schema = RESET
        """
      return all
        + values.flatMap { value in
          ["ASC", "DESC"].map { order in
            sql(
              """
              UPDATE OR IGNORE \(column.table) SET \(column.name) = \(value) WHERE rowid =
              (SELECT rowid FROM \(column.table) ORDER BY rowid \(order) LIMIT 1)
              """)
          }
        } + [sql(missing)]
    }
  }

  // MARK: - Structure

  /// Rows that are possible one by one and impossible together.
  package static let structures: [CatalogAttack] = [
    "UPDATE _entries SET parent_id = id WHERE kind = 2",
    "UPDATE _directory_paths SET parent_id = id",
    "UPDATE _entries SET parent_id = (SELECT max(id) FROM _directory_paths) WHERE kind = 2",
    "UPDATE _directory_paths SET parent_id = (SELECT max(id) FROM _directory_paths)",
    """
    UPDATE _entries SET parent_id = (SELECT max(id) FROM _directory_paths) WHERE kind = 2;
    UPDATE _directory_paths SET parent_id = (SELECT max(id) FROM _directory_paths)
    """,
    """
    UPDATE _entries SET parent_id = (SELECT id FROM _directory_paths WHERE path LIKE '%/deeper')
    WHERE id = (SELECT id FROM _directory_paths WHERE path LIKE '%/sub');
    UPDATE _directory_paths SET parent_id = (SELECT id FROM _directory_paths WHERE path LIKE '%/deeper')
    WHERE path LIKE '%/sub'
    """,
    """
    UPDATE _entries SET parent_id = (SELECT id FROM _directory_paths WHERE path LIKE '%/deeper')
    WHERE parent_id IS NULL;
    UPDATE _directory_paths SET parent_id = (SELECT id FROM _directory_paths WHERE path LIKE '%/deeper')
    WHERE parent_id IS NULL
    """,
    "UPDATE _entries SET parent_id = NULL WHERE kind = 2",
    "UPDATE OR IGNORE _entries SET parent_id = NULL",
    "UPDATE _directory_paths SET parent_id = NULL",
    "UPDATE OR IGNORE _entries SET parent_id = 123456",
    "UPDATE _directory_paths SET parent_id = 123456 WHERE parent_id IS NOT NULL",
    "UPDATE _directory_paths SET root_id = 3 - root_id", "UPDATE _directory_paths SET root_id = 77",
    "UPDATE _directory_paths SET root_id = 1",
    "UPDATE _roots SET entry_id = (SELECT min(entry_id) FROM _roots)",
    "UPDATE _roots SET entry_id = NULL", "UPDATE _roots SET entry_id = 123456",
    "UPDATE _roots SET entry_id = (SELECT max(id) FROM _entries)",
    "UPDATE _roots SET volume_id = 99", "DELETE FROM _volumes", "DELETE FROM _kinds",
    "UPDATE _kinds SET name = id", "DELETE FROM _uniform_types", "DELETE FROM _extensions",
    "DELETE FROM _directory_paths", "DELETE FROM _directory_totals", "DELETE FROM _entries",
    "DELETE FROM _roots", "DELETE FROM _places", "DELETE FROM _known_containers",
    "DELETE FROM _role_policies", "DELETE FROM _catalog_settings", "DELETE FROM _scan_log",
    "DELETE FROM _symlinks", "DELETE FROM _packages", "DELETE FROM _users", "DELETE FROM _assets",
    "DELETE FROM _directory_paths WHERE path LIKE '%/sub'",
    "DELETE FROM _directory_paths WHERE parent_id IS NULL",
    "DELETE FROM _directory_totals WHERE id = (SELECT min(id) FROM _directory_totals)",
    "DELETE FROM _entries WHERE id IN (SELECT id FROM _directory_paths WHERE path LIKE '%/sub')",
    "DELETE FROM _entries WHERE parent_id IS NULL",
    "UPDATE _entries SET kind = 1 WHERE kind = 2", "UPDATE _entries SET kind = 2",
    "UPDATE _entries SET kind = 3", "UPDATE _entries SET kind = 258",
    "UPDATE OR IGNORE _entries SET name = ''", "UPDATE OR IGNORE entries SET name = '.'",
    "UPDATE OR IGNORE _entries SET name = '..'", "UPDATE OR IGNORE entries SET name = '/'",
    "UPDATE OR IGNORE _entries SET name = 'a/../../b' || id",
    "UPDATE OR IGNORE _entries SET name = 'a' || char(0) || id",
    "UPDATE OR IGNORE _entries SET name = char(10, 27) || id",
    "UPDATE _directory_paths SET path = ''", "UPDATE _directory_paths SET path = '/'",
    "UPDATE _directory_paths SET path = 'relative/' || id",
    "UPDATE _directory_paths SET path = path || char(0)",
    "UPDATE _directory_paths SET path = (SELECT path FROM _roots LIMIT 1)",
    "UPDATE _directory_paths SET depth = -depth - 1",
    "UPDATE _directory_paths SET depth = -2147483649",
    "UPDATE _directory_paths SET depth = 2147483647",
    "UPDATE _directory_paths SET depth = 4294967296",
    "UPDATE _roots SET path = 'relative' || id", "UPDATE _roots SET path = '/'|| id || char(0)",
    "UPDATE _roots SET path = '/', given_path = '/' WHERE id = 1",
    "UPDATE _roots SET path = x'2f' WHERE id = 1", "UPDATE OR IGNORE _roots SET path = ''",
    "UPDATE _roots SET settings = 'no JSON'", "UPDATE _roots SET settings = '[1,2]'",
    "UPDATE _roots SET settings = '{\"depth\":7,\"excludes\":[\"[a\",7,null,{}]}'",
    "UPDATE _roots SET settings = '{\"excludes\":[\"*\"]}'",
    "UPDATE _roots SET settings = '{\"resourceValues\":[\"x\",\"xattr\",\"xattr\"]}'",
    "UPDATE _roots SET settings = printf('%.*c', 900, '[') || printf('%.*c', 900, ']')",
    "UPDATE _entries SET size = 9223372036854775807, allocated = 9223372036854775807, links = 2",
    "UPDATE _entries SET size = -9223372036854775808, allocated = -9223372036854775808, links = 2",
    "UPDATE _entries SET inode = 7, links = 4294967295, allocated = 9223372036854775807",
    "UPDATE _entries SET created = 9223372036854775807, modified = -9223372036854775808",
    "UPDATE _directory_totals SET total_size = 9223372036854775807, total_files = 9223372036854775807",
    "UPDATE _directory_totals SET total_size = -9223372036854775808, size = 9223372036854775807",
    "UPDATE _directory_totals SET files = -1, directories = -1, total_files = -5",
    "UPDATE _packaged_links SET allocated = 9223372036854775807, inode = 7",
    "UPDATE _usage_sums SET entries = -1, size = 9223372036854775807", "DELETE FROM _usage_sums",
    "UPDATE OR IGNORE _usage_hours SET modified_hour = -9223372036854775808, size = 9223372036854775807",
    "UPDATE OR IGNORE _usage_sums SET kind = 258, type_id = -7, extension_id = 9223372036854775807",
    "UPDATE OR IGNORE _usage_places SET place_id = -7, entries = 9223372036854775807",
    "UPDATE _packages SET files = 9223372036854775807",
    "UPDATE _entries SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM _entries)",
    "UPDATE _entries SET id = -id",
    "UPDATE _entries SET id = -9223372036854775808 WHERE id = (SELECT max(id) FROM _entries)",
    """
    UPDATE _entries SET id = 9223372036854775807 WHERE id = 1;
    UPDATE _directory_paths SET id = 9223372036854775807 WHERE id = 1;
    UPDATE _directory_totals SET id = 9223372036854775807 WHERE id = 1;
    UPDATE _roots SET entry_id = 9223372036854775807 WHERE entry_id = 1;
    UPDATE OR IGNORE _entries SET parent_id = 9223372036854775807 WHERE parent_id = 1;
    UPDATE _directory_paths SET parent_id = 9223372036854775807 WHERE parent_id = 1
    """,
    "UPDATE _catalog_settings SET value = 9223372036854775807",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('last_entry_id', 9223372036854775807)",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('last_entry_id', 9223372036854775806)",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('last_entry_id', -9223372036854775808)",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('history_days', -9223372036854775808)",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('history_days', -1)",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('history_days', 106752)",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('history_changes', -9223372036854775808)",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('history_changes', 9223372036854775807)",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('history_horizon', 9223372036854775807)",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('views', 1), ('view_names', '[\"files\"]')",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('views', 1), ('view_names', 'no JSON')",
    "INSERT OR REPLACE INTO _catalog_settings VALUES ('view_names', zeroblob(9))",
    "UPDATE sqlite_sequence SET seq = 9223372036854775807",
    "UPDATE sqlite_sequence SET seq = 'text'", "DELETE FROM sqlite_sequence",
    "INSERT INTO sqlite_sequence SELECT * FROM sqlite_sequence",
    """
    UPDATE _scan_log SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM _scan_log);
    UPDATE _roots SET last_scan_id = 9223372036854775807, changed_scan_id = 9223372036854775807
    """,
    "UPDATE _scan_log SET started = -9223372036854775808, finished = 9223372036854775807",
    "UPDATE _scan_log SET finished = -9223372036854775808, started = 9223372036854775807",
    "UPDATE _scan_log SET finished = NULL, state = 'running'",
    "UPDATE _change_log SET id = id + 9223372036854775000",
    "UPDATE _change_log SET id = -9223372036854775808 WHERE id = (SELECT min(id) FROM _change_log)",
    """
    UPDATE _change_log SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM _change_log);
    UPDATE _change_log SET id = -9223372036854775808 WHERE id = (SELECT min(id) FROM _change_log)
    """,
    "UPDATE _change_log SET path = '', old_path = '', fields = ',,x,,size'",
    "UPDATE _growth_log SET total_size = 9223372036854775807, total_files = 9223372036854775807",
    "UPDATE _growth_log SET depth = -5, path = ''",
    "UPDATE _content_hashes SET ends = x'00', whole = x'00'",
    "UPDATE _content_hashes SET ends = 7, whole = 7", "UPDATE _content_hashes SET whole = ''",
    "UPDATE _assets SET scale = 1e300, height = 9223372036854775807",
    "UPDATE _assets SET extension_length = 9223372036854775807",
    "UPDATE _entries SET name_shape = 9223372036854775807",
    "UPDATE _entries SET name_shape = -9223372036854775808",
    "UPDATE _extensions SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM _extensions)",
    "UPDATE _volumes SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM _volumes)",
    "UPDATE _volumes SET identity = 'x' || id, device = -1",
    "UPDATE _places SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM _places)",
    """
    UPDATE _known_containers SET id = 9223372036854775807
    WHERE id = (SELECT max(id) FROM _known_containers)
    """,
    "UPDATE _known_containers SET path = 'relative'", "UPDATE _known_containers SET style = 'x'",
    "INSERT OR REPLACE INTO _container_directories VALUES (1, 3, 0, '../../..')",
    "INSERT OR REPLACE INTO _container_directories VALUES (1, 3, -1, ''), (1, 2, 5, NULL)",
    """
    UPDATE _uniform_types SET id = 9223372036854775807
    WHERE id = (SELECT max(id) FROM _uniform_types)
    """,
    "UPDATE _uniform_types SET identifier = 'x' || id, flags = 15",
    "UPDATE _saved_searches SET query = '((((', sort = 'x,y'",
    "UPDATE _saved_searches SET query = printf('%.*c', 100000, '('), sort = ''",
    "UPDATE _saved_searches SET query = 'modified:<999999999999999y', levels = '>x..'",
    "INSERT INTO _searched_directories SELECT NULL, name, 'x', NULL FROM _saved_searches",
    "UPDATE _scan_failures SET errno = 9223372036854775807, path = ''",
    "UPDATE _entry_values SET key = '', value = zeroblob(5000000)",
    "UPDATE _users SET name = ''", "DELETE FROM _name_blocks", "DELETE FROM _name_trigrams",
    "UPDATE _name_blocks SET names = zeroblob(3000000)",
    "UPDATE _name_blocks SET names = (SELECT trigrams FROM _name_trigrams)",
    "UPDATE _name_blocks SET id = id + 1",
    // A megabyte of zeros, and names that are more than a block can have.
    "UPDATE _name_blocks SET names = x'28b52ffda40000100054000010000001fbff39c002020000'",
    "UPDATE _name_blocks SET names = x'28b52ffd2004210000' || x'61006200'",
    """
    UPDATE _name_blocks SET names = CAST(replace(printf('%01000d', 0), '0', char(127))
      || x'28b52ffda40000100054000010000001fbff39c002020000' AS BLOB)
    """,
    "UPDATE _name_trigrams SET trigrams = zeroblob(1000)",
    "UPDATE _name_trigrams SET trigrams = randomblob(1000000)",
    "UPDATE _name_trigrams SET id = 4503599627370496",
    """
    WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO _name_trigrams SELECT i, x'ff' FROM n
    """,
    """
    WITH RECURSIVE n(i) AS (SELECT -5 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO _name_gaps SELECT i FROM n
    """,
    "INSERT INTO _name_gaps VALUES (9223372036854775807), (-9223372036854775808)",
    "UPDATE _sniffed_types SET inode = 9223372036854775807, type_id = -1",
    """
    WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO _directory_paths SELECT i, 1, '/x' || i, i, i - 1, i, 0, NULL FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO _entries (id, parent_id, name, name_shape, asset_key, type_id, kind, size, allocated,
      inode, links, traits, first_seen_scan, last_changed_scan)
    SELECT i, i - 1, 'n' || i, 0, 0, 1, 2, 9223372036854775807, 9223372036854775807, i, 1, 0, 1, 1 FROM n
    """,
  ].map(sql)

  // MARK: - Schema

  private static let endless =
    "WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) SELECT n FROM endless"

  /// Other tables, indexes, views and triggers than a catalog has.
  package static func schemas(
    tables: [String], indexes: [String], views: [String]
  ) -> [CatalogAttack] {
    let attacks = tables.flatMap(onTable) + indexes.flatMap(onIndex) + views.flatMap(onView)
    return attacks.map(schema) + others
  }

  private static func onTable(_ table: String) -> [String] {
    var attacks = ["DELETE", "INSERT", "UPDATE"].map { event in
      "CREATE TRIGGER t AFTER \(event) ON \(table) BEGIN SELECT count(*) FROM (\(endless)); END"
    }
    let altering = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET"
    attacks += [
      "DROP TABLE \(table)",
      """
      ALTER TABLE \(table) RENAME TO other;
      CREATE VIEW \(table) AS SELECT * FROM other UNION ALL SELECT o.* FROM other o, (\(endless))
      """,
      "ALTER TABLE \(table) ADD COLUMN more INTEGER DEFAULT 7",
      "ALTER TABLE \(table) ADD COLUMN more AS (abs(-9223372036854775807 - 1))",
      """
      CREATE TABLE copy AS SELECT * FROM \(table); DROP TABLE \(table);
      ALTER TABLE copy RENAME TO \(table)
      """,
      """
      \(altering) sql = replace(sql, ' NOT NULL', ' CHECK (abs(-9223372036854775807 - 1) > 0)')
      WHERE name = '\(table)'
      """,
      """
      \(altering) rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = '_roots')
      WHERE name = '\(table)'
      """,
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '\(table)'",
    ]
    return attacks
  }

  private static func onIndex(_ index: String) -> [String] {
    [
      "DROP INDEX \(index)",
      "DROP INDEX \(index); CREATE INDEX \(index) ON users(name)",
      """
      PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage =
      (SELECT rootpage FROM sqlite_schema WHERE name = 'change_log_by_scan')
      WHERE name = '\(index)'
      """,
    ]
  }

  private static func onView(_ view: String) -> [String] {
    [
      "DROP VIEW \(view)", "DROP VIEW \(view); CREATE VIEW \(view) AS \(endless)",
      "DROP VIEW \(view); CREATE TABLE \(view) (id)",
      "CREATE TRIGGER t INSTEAD OF DELETE ON \(view) BEGIN DELETE FROM _entries; END",
    ]
  }

  private static let others: [CatalogAttack] = [
    "CREATE VIEW mine AS \(endless)", "CREATE TABLE mine (a, b)",
    "CREATE VIRTUAL TABLE mine USING fts5(a)", "CREATE VIRTUAL TABLE mine USING rtree(a, b, c)",
    "CREATE INDEX mine ON _entries(abs(size))", "CREATE UNIQUE INDEX mine ON _entries(size)",
    "CREATE INDEX mine ON _entries(id) WHERE name LIKE '%x%'", "ANALYZE",
    """
    PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES
    ('table', 'mine', 'mine', 0, 'CREATE VIRTUAL TABLE mine USING unheard_of(a)')
    """,
    """
    PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES
    ('table', 'mine', 'mine', 123456, 'CREATE TABLE mine(a)')
    """,
    "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)",
    "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES (NULL, NULL, NULL, NULL, NULL)",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'x'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = NULL",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET name = 'x' || rowid",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET tbl_name = '_roots'",
    "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
    "PRAGMA user_version = 0", "PRAGMA user_version = 5", "PRAGMA user_version = -1",
    "PRAGMA user_version = 2147483647", "PRAGMA application_id = 0",
    "PRAGMA journal_mode = WAL", "PRAGMA page_size = 512; VACUUM", "PRAGMA auto_vacuum = 1; VACUUM",
  ].map(schema)

  // MARK: - Bytes

  /// Bytes that no program has written, anew with each seed.
  package static func bytes(count: Int, _ random: inout SeededRandom) -> [CatalogAttack] {
    var attacks: [CatalogAttack] = []
    for offset in [16, 18, 19, 20, 21, 24, 28, 32, 36, 40, 44, 47, 52, 56, 59, 60, 64, 68, 92, 96] {
      for value: UInt8 in [0, 1, 2, 3, 4, 127, 255] {
        attacks.append(
          CatalogAttack(
            description: "byte \(offset) is \(value)", change: .bytes { $0[offset] = value }))
      }
    }
    for _ in 0..<count {
      let seed = random.next()
      let (name, damage) = damages[random.below(damages.count)]
      attacks.append(
        CatalogAttack(
          description: "\(name), seed \(seed)",
          change: .bytes { bytes in
            var random = SeededRandom(seed: seed)
            damage(&bytes, &random)
          }))
    }
    return attacks
  }

  private static let damages: [(String, @Sendable (inout [UInt8], inout SeededRandom) -> Void)] = [
    ("truncated", { bytes, random in bytes.removeLast(random.below(bytes.count)) }),
    (
      "a page copied",
      { bytes, random in
        let from = random.below(bytes.count / 4096) * 4096
        let to = random.below(bytes.count / 4096) * 4096
        for offset in 0..<4096 { bytes[to + offset] = bytes[from + offset] }
      }
    ),
    (
      "beginnings of pages",
      { bytes, random in
        for _ in 0...random.below(4) {
          let place = random.below(bytes.count / 4096) * 4096 + random.below(60)
          bytes[max(100, place)] = UInt8(random.below(256))
        }
      }
    ),
    (
      "bytes anywhere",
      { bytes, random in
        for _ in 0..<(1 << random.below(10)) {
          bytes[random.below(bytes.count)] = UInt8(random.below(256))
        }
      }
    ),
  ]
}
