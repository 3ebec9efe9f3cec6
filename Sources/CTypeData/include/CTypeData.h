/// The built-in table of uniform types, compiled into the library.
///
/// The table is the file `types.tsv` beside the C source; its header comment describes the columns.
/// It is embedded byte for byte, so that reading it needs no file, no bundle and no copy.

#ifndef CTYPEDATA_H
#define CTYPEDATA_H

#include <stddef.h>
#include <stdint.h>

/// First byte of the table. The memory lives as long as the process and is never written.
/// It is not terminated by a zero.
const uint8_t *_Nonnull ctypedata_table_bytes(void);

/// Length of the table in bytes.
size_t ctypedata_table_length(void);

#endif
