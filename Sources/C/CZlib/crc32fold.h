#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

/* zlib's crc32 takes a byte after the other through tables. Where the processor multiplies
   polynomials (PCLMULQDQ), 64 bytes are folded at once: with x^n mod P as the factor, a block moves
   n bits ahead without a change of the remainder. The factors are those of the reflected
   polynomial EDB88320; less than a block at the end is left to zlib. */

#if defined(__x86_64__)
#include <cpuid.h>

typedef long long czlib_block __attribute__((vector_size(16)));

static inline czlib_block czlib_load(const unsigned char *bytes) {
  czlib_block block;
  memcpy(&block, bytes, sizeof block);
  return block;
}

__attribute__((target("pclmul"))) static inline czlib_block czlib_fold(
    czlib_block block, czlib_block factors, czlib_block next) {
  return __builtin_ia32_pclmulqdq128(block, factors, 0x00) ^
         __builtin_ia32_pclmulqdq128(block, factors, 0x11) ^ next;
}

/* Whether this processor can run czlib_crc32_folded. */
static inline int czlib_can_fold(void) {
  unsigned int a, b, c = 0, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_PCLMUL) != 0;
}

/* The remainder of a block, first by folding to 64 bits, then by Barrett's division. */
__attribute__((target("pclmul"))) static inline uint32_t czlib_reduce(czlib_block block) {
  const czlib_block by128 = {0x1751997d0, 0x0ccaa009e};
  const czlib_block by64 = {0x163cd6124, 0};
  const czlib_block quotient = {0x1db710641, 0x1f7011641}; /* P, and x^64 / P */
  const czlib_block low = {0xFFFFFFFF, 0};
  const czlib_block high = {block[1], 0};
  block = __builtin_ia32_pclmulqdq128(block, by128, 0x10) ^ high;
  const czlib_block rest = {
      (long long)((uint64_t)block[0] >> 32 | (uint64_t)block[1] << 32),
      (long long)((uint64_t)block[1] >> 32)};
  block = __builtin_ia32_pclmulqdq128(block & low, by64, 0x00) ^ rest;
  czlib_block times = __builtin_ia32_pclmulqdq128(block & low, quotient, 0x10);
  times = __builtin_ia32_pclmulqdq128(times & low, quotient, 0x00);
  return ~(uint32_t)((uint64_t)(block ^ times)[0] >> 32);
}

/* crc32_z of at least 16 bytes. */
__attribute__((target("pclmul"))) static inline uint32_t czlib_crc32_folded(
    uint32_t crc, const unsigned char *bytes, size_t size) {
  const czlib_block by512 = {0x154442bd4, 0x1c6e41596};
  const czlib_block by128 = {0x1751997d0, 0x0ccaa009e};
  const czlib_block start = {(long long)(uint32_t)~crc, 0};
  czlib_block b0 = czlib_load(bytes) ^ start;
  if (size >= 64) {
    czlib_block b1 = czlib_load(bytes + 16);
    czlib_block b2 = czlib_load(bytes + 32);
    czlib_block b3 = czlib_load(bytes + 48);
    for (bytes += 64, size -= 64; size >= 64; bytes += 64, size -= 64) {
      b0 = czlib_fold(b0, by512, czlib_load(bytes));
      b1 = czlib_fold(b1, by512, czlib_load(bytes + 16));
      b2 = czlib_fold(b2, by512, czlib_load(bytes + 32));
      b3 = czlib_fold(b3, by512, czlib_load(bytes + 48));
    }
    b0 = czlib_fold(czlib_fold(czlib_fold(b0, by128, b1), by128, b2), by128, b3);
  } else {
    bytes += 16, size -= 16;
  }
  for (; size >= 16; bytes += 16, size -= 16) b0 = czlib_fold(b0, by128, czlib_load(bytes));
  return (uint32_t)crc32_z(czlib_reduce(b0), bytes, size);
}

#else

static inline int czlib_can_fold(void) { return 0; }

static inline uint32_t czlib_crc32_folded(
    uint32_t crc, const unsigned char *bytes, size_t size) {
  return (uint32_t)crc32_z(crc, bytes, size);
}

#endif
