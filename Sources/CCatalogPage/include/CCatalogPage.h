/// The page by which a browser shows a catalog, compiled into the command.
///
/// It is several files, as a server hands them out: `page.html` for `/`, and the rest by their own paths.

#ifndef CCATALOGPAGE_H
#define CCATALOGPAGE_H

#include <stddef.h>
#include <stdint.h>

/// A file of the page. Its bytes live as long as the process and are never written; no zero ends them.
typedef struct {
  /// Where the page asks for it: `/js/grid.js`. The page itself is `/`.
  const char *_Nonnull path;
  /// What a server says that it is: `text/javascript; charset=utf-8`.
  const char *_Nonnull media_type;
  const uint8_t *_Nonnull bytes;
  size_t length;
} ccatalogpage_file;

/// How many files there are.
size_t ccatalogpage_count(void);

/// The file at an index below the count.
ccatalogpage_file ccatalogpage_at(size_t index);

#endif
