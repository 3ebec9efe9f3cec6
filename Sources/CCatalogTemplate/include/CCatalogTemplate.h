/// A catalog in which nothing was scanned yet, compiled into the library.
///
/// The file `template.sqlite.zst` beside the C source is made by `Scripts/template`: the schema and the
/// built-in types, as SQLite has written them, compressed with zstd. It is embedded byte for byte.

#ifndef CCATALOGTEMPLATE_H
#define CCATALOGTEMPLATE_H

#include <stddef.h>
#include <stdint.h>

/// First byte of the compressed file. The memory lives as long as the process and is never written.
const uint8_t *_Nonnull ccatalogtemplate_bytes(void);

/// Length of the compressed file in bytes.
size_t ccatalogtemplate_length(void);

#endif
