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

/// Lets SQLite count the memory that it takes, which some systems build it not to do. Nothing happens
/// once it has been used.
static inline int csqlite_count_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1); }

/// Reads from the beginning of the main file of a connection by way of SQLite's own file.
static inline int csqlite_read_beginning(sqlite3 *connection, void *bytes, int count) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (!file || !file->pMethods) return SQLITE_CANTOPEN;
  return file->pMethods->xRead(file, bytes, count, 0);
}

#endif
