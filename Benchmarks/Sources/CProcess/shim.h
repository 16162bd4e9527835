#pragma once
#include <malloc.h>

/* The allocator's own count is in a header that Swift's Glibc leaves out. */
static inline size_t cprocess_allocated(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
