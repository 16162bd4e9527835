#pragma once

#include <linux/stat.h>
#include <stdint.h>
#include <sys/random.h> /* getrandom, which Swift's Glibc module leaves out */
#include <sys/syscall.h>
#include <unistd.h>

/* glibc declares statx under _GNU_SOURCE only, which the Swift importer does not set, and syscall
   is variadic, which Swift cannot call. 0x1000 is AT_EMPTY_PATH, behind the same macro. */
static inline int csystem_statx(int descriptor, unsigned int mask, struct statx *status) {
  return (int)syscall(SYS_statx, descriptor, "", 0x1000, mask, status);
}
