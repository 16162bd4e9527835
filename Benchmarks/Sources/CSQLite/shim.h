#pragma once
#include <sqlite3.h>

/* SQLITE_TRANSIENT is a macro with a cast, which Swift cannot see. */
static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *text, int size) {
  return sqlite3_bind_text(statement, index, text, size, SQLITE_TRANSIENT);
}
