// Parameters whose address is taken, or that are indexed at run time, in registers and on the stack.
#include "device.h"

#pragma omp declare target

typedef struct { int w[8]; } Eight;
typedef struct { char c[70]; } Seventy;
typedef struct { double d; int i[3]; } Mixed;

DEVICE void change(int *, int);
DEVICE void changeEight(Eight *);
DEVICE int look(const Seventy *, const Mixed *);

DEVICE NOINLINE int scalar(int a, long long b, char c) {
  change(&a, 1);
  change((int *)&b, 2);
  return a + (int)b + c;
}

DEVICE NOINLINE int indexed(Eight e, int i) { return e.w[i]; }

DEVICE NOINLINE Eight stored(Eight e, int i, int v) {
  e.w[i & 7] = v;
  return e;
}

DEVICE NOINLINE Eight passed(Eight e) {
  changeEight(&e);
  return e;
}

DEVICE NOINLINE int stacked(Eight a, Seventy s, Mixed m, int i) { return s.c[i] + m.i[i % 3] + look(&s, &m) + a.w[0]; }

DEVICE NOINLINE int *escape(Mixed m, int i) {
  int *p = &m.i[0];
  change(p + i, i);
  return (int *)(long long)m.d;
}

DEVICE int run(Eight *e, Seventy *s, Mixed *m, int i) {
  *e = passed(stored(*e, i, indexed(*e, i)));
  return scalar(i, i, 'c') + stacked(*e, *s, *m, i) + *escape(*m, i);
}

#pragma omp end declare target
