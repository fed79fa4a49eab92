// Functions that call themselves and each other, with scalars, records and large results.
#include "device.h"

#pragma omp declare target

typedef struct { long long lo, hi; } Fib;
typedef struct { int depth[16]; } Trace;
typedef struct Tree { struct Tree *left, *right; int key; } Tree;

DEVICE NOINLINE unsigned factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }

DEVICE NOINLINE int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

DEVICE NOINLINE Fib fib(int n) {
  Fib f = {0, 1};
  if (n == 0) return f;
  Fib g = fib(n - 1);
  f.lo = g.hi;
  f.hi = g.lo + g.hi;
  return f;
}

DEVICE int odd(unsigned n);
DEVICE NOINLINE int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
DEVICE NOINLINE int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }

DEVICE NOINLINE Trace hanoi(int n, int from, int to, Trace t) {
  if (n == 0) return t;
  t = hanoi(n - 1, from, 3 - from - to, t);
  t.depth[n & 15]++;
  return hanoi(n - 1, 3 - from - to, to, t);
}

DEVICE NOINLINE int height(const Tree *t) {
  if (!t) return 0;
  int l = height(t->left), r = height(t->right);
  return 1 + (l > r ? l : r);
}

DEVICE long long run(int n, const Tree *t, Trace *trace) {
  *trace = hanoi(n, 0, 2, *trace);
  return fib(n).hi + factorial(n) + ackermann(2, n) + even(n) + height(t);
}

#pragma omp end declare target
