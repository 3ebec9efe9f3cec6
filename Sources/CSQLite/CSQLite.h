// What Swift sees of libsqlite3: its own header, and what that has as macros and variadic functions.

#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>

/// `SQLITE_TRANSIENT`: SQLite makes a copy of its own.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

/// `sqlite3_db_config` for an option that is on or off.
static inline int csqlite_db_config(sqlite3 *connection, int option, int isOn) {
  return sqlite3_db_config(connection, option, isOn, (int *)0);
}

/// Whether an option is on.
static inline int csqlite_is_configured(sqlite3 *connection, int option) {
  int isOn = 0;
  return sqlite3_db_config(connection, option, -1, &isOn) == SQLITE_OK && isOn;
}

/// Lets SQLite count the memory that it takes, which some systems build it not to do. Nothing happens
/// once it has been used.
static inline int csqlite_count_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1); }

/// The main file of a connection, as SQLite itself has it open; `NULL` where it has not.
static inline sqlite3_file *csqlite_main_file(sqlite3 *connection) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return code == SQLITE_OK && file && file->pMethods ? file : 0;
}

/// Reads from the beginning of the main file of a connection by way of SQLite's own file.
static inline int csqlite_read_beginning(sqlite3 *connection, void *bytes, int count) {
  sqlite3_file *file = csqlite_main_file(connection);
  return file ? file->pMethods->xRead(file, bytes, count, 0) : SQLITE_CANTOPEN;
}

/// Two pages that a file is read with in place of those that it has: the methods that SQLite calls the
/// file by, with another for reading, and what that needs behind them.
typedef struct {
  sqlite3_io_methods methods;
  const sqlite3_io_methods *own;
  sqlite3_int64 offsets[2];
  const void *pages[2];
  int page_size;
} csqlite_overlay;

static inline int csqlite_read_overlaid(
  sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset
) {
  const csqlite_overlay *overlay = (const csqlite_overlay *)file->pMethods;
  int code = overlay->own->xRead(file, bytes, count, offset);
  for (int i = 0; i < 2 && code == SQLITE_OK; i++) {
    if (offset == overlay->offsets[i] && count == overlay->page_size)
      __builtin_memcpy(bytes, overlay->pages[i], count);
  }
  return code;
}

/// Lays pages over a file. Both must stay where they are until they are taken off.
static inline void csqlite_lay_over(sqlite3_file *file, csqlite_overlay *overlay) {
  overlay->own = file->pMethods;
  overlay->methods = *file->pMethods;
  overlay->methods.xRead = csqlite_read_overlaid;
  file->pMethods = &overlay->methods;
}

static inline void csqlite_take_off(sqlite3_file *file, csqlite_overlay *overlay) {
  if (file->pMethods == &overlay->methods) file->pMethods = overlay->own;
}

#endif
