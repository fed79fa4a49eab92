// Variadic functions: here and elsewhere, with records among the arguments, with va_list passed on.
#include "device.h"

#pragma omp declare target

typedef __builtin_va_list va_list;
typedef struct { int a; double b; } Pair;
typedef struct { char c[5]; } Five;

DEVICE int away(const char *, ...);

DEVICE NOINLINE int sum(int n, ...) {
  va_list ap;
  __builtin_va_start(ap, n);
  int s = 0;
  for (int i = 0; i < n; i++) s += __builtin_va_arg(ap, int);
  __builtin_va_end(ap);
  return s;
}

DEVICE NOINLINE double all(char what, short n, ...) {
  va_list ap, again;
  __builtin_va_start(ap, n);
  __builtin_va_copy(again, ap);
  double d = __builtin_va_arg(ap, double) + (double)__builtin_va_arg(ap, long long);
  Pair p = __builtin_va_arg(ap, Pair);
  Five f = __builtin_va_arg(ap, Five);
  d += p.b + f.c[4] + *__builtin_va_arg(ap, int *);
  if (what) d += __builtin_va_arg(again, double);
  __builtin_va_end(again);
  __builtin_va_end(ap);
  return d;
}

DEVICE NOINLINE int listed(int n, va_list ap) {
  int s = 0;
  while (n-- > 0) s ^= __builtin_va_arg(ap, int);
  return s;
}

DEVICE NOINLINE int forward(int n, ...) {
  va_list ap;
  __builtin_va_start(ap, n);
  int s = listed(n, ap);
  __builtin_va_end(ap);
  return s;
}

DEVICE NOINLINE Pair pairOf(int n, ...) {
  va_list ap;
  __builtin_va_start(ap, n);
  Pair p = __builtin_va_arg(ap, Pair);
  __builtin_va_end(ap);
  p.a += n;
  return p;
}

DEVICE double run(int x, Pair p, Five f, int (*fp)(int, ...)) {
  int s = sum(3, x, x + 1, x + 2) + sum(0) + forward(2, x, 7);
  s += away("%d", x) + away("none") + fp(2, x, 1.5, p);
  return s + all((char)x, 3, 1.25, 1LL << 40, p, f, &x) + pairOf(1, p).b;
}

#pragma omp end declare target
