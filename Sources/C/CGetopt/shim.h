#pragma once
/* Swift's module of the C library leaves getopt.h out. */
#include <getopt.h>
#include <stddef.h>

/* Swift refuses C globals. Callers hold a lock from the restart to the last argument. */
static inline void cgetopt_restart(void) {
  optind = 0; /* glibc starts anew, also behind a permutation that was not finished. */
  opterr = 0;
  optopt = 0;
}
static inline int cgetopt_index(void) { return optind; }
/* The letter of an option that is unknown, 0 where it was a long one. */
static inline int cgetopt_letter(void) { return optopt; }
static inline char *_Nullable cgetopt_argument(void) { return optarg; }
