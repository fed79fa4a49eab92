// A dense switch, with calls in some arms.
#include "device.h"

#pragma omp declare target

typedef struct { int op, a, b; } Insn;

DEVICE int trap(int);
DEVICE NOINLINE int helper(Insn i, int x) { return i.a * x + i.b; }

DEVICE NOINLINE int step(Insn i, int x) {
  switch (i.op) {
  case 0: return x + i.a;
  case 1: return x - i.a;
  case 2: return x * i.b;
  case 3: return x & i.a;
  case 4: return x | i.b;
  case 5: return helper(i, x);
  case 6: return x << (i.a & 31);
  case 7: return x >> (i.b & 31);
  case 8: return trap(x);
  case 9: return x % (i.a | 1);
  case 10: return helper(i, helper(i, x));
  case 11: return ~x;
  default: return 0;
  }
}

DEVICE NOINLINE int interpret(const Insn *p, int n) {
  int x = 0;
  for (int i = 0; i < n; i++) x = step(p[i], x);
  return x;
}

#pragma omp end declare target
