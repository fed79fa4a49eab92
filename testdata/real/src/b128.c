// 128-bit registers, through inline assembly, and 128-bit values around them.
#include "device.h"

typedef unsigned __int128 u128;
typedef struct { u128 v; int n; } Tagged;

DEVICE NOINLINE u128 swapIf(u128 *p, u128 expected, u128 v) {
  u128 old;
  __asm__ volatile("atom.cas.b128 %0, [%1], %2, %3;" : "=q"(old) : "l"(p), "q"(expected), "q"(v) : "memory");
  return old;
}

DEVICE NOINLINE Tagged exchange(u128 *p, Tagged t) {
  __asm__ volatile("atom.exch.b128 %0, [%1], %0;" : "+q"(t.v) : "l"(p) : "memory");
  t.n++;
  return t;
}

KERNEL run(u128 *p, Tagged t, u128 v, int n) {
  t = exchange(p, t);
  p[THREAD + n] = swapIf(p, v, t.v) + (unsigned)t.n;
}
