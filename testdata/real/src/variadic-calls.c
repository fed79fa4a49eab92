// Calls of variadic functions that stand elsewhere.
#include "device.h"

#pragma omp declare target

typedef struct { int a; double b; } Pair;
typedef struct { char c[5]; } Five;

DEVICE int print(const char *, ...);
DEVICE Pair make(int, ...);

DEVICE int run(int x, char c, float f, Pair p, Five *five, int (*fp)(int, ...)) {
  int r = print("none") + print("%d", x) + print("%c %f %g", c, f, p.b);
  r += print("records", p, *five, 1LL << 40, x);
  p = make(3, p, x);
  return r + p.a + fp(1, c, five);
}

#pragma omp end declare target
