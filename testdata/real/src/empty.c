// Records without members and with members of no size. In C such a record has no bytes, and only as the
// last formal of a definition, never at a call, does it assemble.
#include "device.h"

typedef struct {} Nothing;
typedef struct { int n; char tail[]; } Flexible;
typedef struct { int zero[0]; short s; } ZeroArray;

NOINLINE int last(int a, Nothing n) { return a + 1; }
NOINLINE int only(Nothing n) { return 3; }
NOINLINE Flexible flexible(Flexible f, int k) {
  f.n += k;
  return f;
}
NOINLINE ZeroArray zero(ZeroArray z) {
  z.s++;
  return z;
}

int run(int x, Flexible *f, ZeroArray *z) {
  *f = flexible(*f, x);
  *z = zero(*z);
  return f->n;
}
