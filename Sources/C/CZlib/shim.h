#pragma once
#include <zlib.h>

/* deflateInit2 is a macro that passes the header's version and the size of z_stream. */
static inline int czlib_deflate_init_raw(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

/* inflateInit2 is a macro that passes the header's version and the size of z_stream. */
static inline int czlib_inflate_init_raw(z_stream *stream) {
  return inflateInit2(stream, -MAX_WBITS);
}
