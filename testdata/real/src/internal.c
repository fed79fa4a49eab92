// Functions that nobody outside can call: the compiler raises the alignment of their records, and its
// loads and stores of parameters become vectors.
#include "device.h"

typedef struct { char c[16]; } Bytes;
typedef struct { float f[8]; } Floats;
typedef struct { short s[6]; } Shorts;
typedef struct { int w[13]; } Thirteen;
typedef struct { double d[4]; long long l; } Wide;

static NOINLINE Bytes bytes(Bytes x, int i) {
  x.c[3] += (char)i;
  return x;
}

static NOINLINE Floats floats(Floats x, float k) {
  for (int i = 0; i < 8; i++) x.f[i] *= k;
  return x;
}

static NOINLINE Shorts shorts(int n, Shorts x) {
  x.s[5] += (short)n;
  return x;
}

static NOINLINE Thirteen thirteen(Thirteen x, Thirteen y) {
  for (int i = 0; i < 13; i++) x.w[i] += y.w[12 - i];
  return x;
}

static NOINLINE Wide wide(Wide x) {
  x.d[3] += (double)x.l;
  return x;
}

void run(Bytes *b, Floats *f, Shorts *s, Thirteen *t, Wide *w, int n) {
  *b = bytes(*b, n);
  *f = floats(*f, (float)n);
  *s = shorts(n, *s);
  *t = thirteen(*t, t[1]);
  *w = wide(*w);
}
