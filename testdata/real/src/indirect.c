// Calls through pointers: from a table, from an argument, with records, with results over 48 bytes.
#include "device.h"

#pragma omp declare target

typedef struct { int a, b, c; } Three;
typedef struct { double d[8]; } Big;
typedef int (*Op)(int, int);
typedef Three (*Step)(Three, short);
typedef Big (*Fill)(Big, char, float);
typedef void (*Visit)(void *, long long);

DEVICE NOINLINE int add(int a, int b) { return a + b; }
DEVICE NOINLINE int sub(int a, int b) { return a - b; }
DEVICE NOINLINE int mul(int a, int b) { return a * b; }

DEVICE Three stepAway(Three, short);

DEVICE NOINLINE Three step(Three x, short s) {
  x.b += s;
  return x;
}

DEVICE NOINLINE Big fill(Big b, char c, float f) {
  b.d[7] = c + f;
  return b;
}

DEVICE NOINLINE int choose(int which, int a, int b) {
  Op op = which == 0 ? add : which == 1 ? sub : mul;
  return op(a, b);
}

DEVICE NOINLINE int fold(Op op, const int *p, int n) {
  int acc = 0;
  for (int i = 0; i < n; i++) acc = op(acc, p[i]);
  return acc;
}

DEVICE NOINLINE void each(Visit visit, void *state, int n) {
  for (int i = 0; i < n; i++) visit(state, (long long)i << 33);
}

DEVICE NOINLINE Three twice(Step s, Three x) { return s(s(x, 1), 2); }

DEVICE NOINLINE Big apply(Fill f, Big *b) { return f(*b, 'x', 2.5f); }

DEVICE int run(int which, int *p, int n, Big *b, Visit visit) {
  Three t = {1, 2, 3};
  t = twice(n ? step : stepAway, t);
  *b = apply(fill, b);
  each(visit, p, n);
  return choose(which, n, t.b) + fold(which ? add : mul, p, n);
}

#pragma omp end declare target
