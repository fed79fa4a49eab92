// 128-bit integers as arguments, results and members.
#include "device.h"

typedef __int128 i128;
typedef unsigned __int128 u128;
typedef struct { char c; i128 v; } Holds;

DEVICE i128 away(i128, char, u128);

DEVICE NOINLINE i128 add(i128 a, i128 b) { return a + b; }
DEVICE NOINLINE u128 shift(u128 a, int n) { return a << n; }
DEVICE NOINLINE i128 third(int a, i128 b, int c) { return b * a + c; }
DEVICE NOINLINE Holds holds(Holds h, long long l) {
  h.v += l;
  return h;
}
DEVICE NOINLINE int compare(i128 a, i128 b, i128 c, i128 d) { return (a < b) + (c < d); }

DEVICE void run(i128 *p, Holds *h, int n) {
  *p = add(*p, third(n, p[1], 3)) + (i128)shift((u128)*p, n);
  *h = holds(*h, n);
  p[2] = away(p[0], (char)n, (u128)p[1]) + compare(p[0], p[1], p[2], p[3]);
}
