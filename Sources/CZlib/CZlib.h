// What Swift sees of zlib: its own header.

#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

/// `deflateInit2`, which is a macro, for the format of gzip.
static inline int czlib_begin_gzip(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

#endif
