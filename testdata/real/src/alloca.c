// Stack memory of a size known only at run time, together with calls that need stack parameters.
#include "device.h"

// clang 19 writes alignment 0 for __builtin_alloca, which ptxas refuses.
#if __clang_major__ == 19
#define ALLOCA(n) __builtin_alloca_with_align(n, 128)
#else
#define ALLOCA(n) __builtin_alloca(n)
#endif

typedef struct { int w[14]; } Big;

DEVICE int use(char *, int);
DEVICE int useBig(Big, char *, Big);

DEVICE NOINLINE int simple(int n) {
  char *p = (char *)ALLOCA(n);
  return use(p, n);
}

DEVICE NOINLINE int twice(int n, int m) {
  char *p = (char *)ALLOCA(n);
  int r = use(p, n);
  char *q = (char *)ALLOCA(m);
  return r + use(q, m) + p[0];
}

DEVICE NOINLINE int inLoop(int n) {
  int r = 0;
  for (int i = 1; i < n; i++) {
    char *p = (char *)ALLOCA(i);
    p[0] = (char)i;
    r += use(p, i);
  }
  return r;
}

DEVICE NOINLINE int withStack(Big b, int n, Big *out) {
  char *p = (char *)ALLOCA(n);
  p[n - 1] = 1;
  *out = b;
  return useBig(b, p, *out);
}

DEVICE int run(int n, Big *b) { return simple(n) + twice(n, 2 * n) + inLoop(n) + withStack(*b, n, b); }
