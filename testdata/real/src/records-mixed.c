// Records of mixed members, so that every alignment from 1 to 8 and every kind of padding occurs.
#include "device.h"

#pragma omp declare target

typedef struct { double d; int i; } DoubleInt;
typedef struct { double d; char c[4]; } DoubleChars;
typedef struct { char c; double d; } CharDouble;
typedef struct { char c; short s; } CharShort;
typedef struct { short s; char c; } ShortChar;
typedef struct { int i; char c; } IntChar;
typedef struct { char c[3]; } Three;
typedef struct { char c; int i; char d; } Spread;
typedef struct { long long l; short s; char c; } LongShortChar;
typedef struct { float x, y, z; } Point;
typedef struct { void *p; int n; } Slice;
typedef struct { double d[6]; char c; } FiftySix;
typedef struct { short s[7]; } Fourteen;
typedef struct { float m[16]; int flags; } Matrix;
typedef struct { double a, b, c, d, e, f; } FortyEight;

#define PASS(T, member)                                       \
  DEVICE T away##T(T, char, T *);                             \
  DEVICE NOINLINE T here##T(char k, T x, short s) {           \
    x.member += k + s;                                        \
    return x;                                                 \
  }                                                           \
  DEVICE double both##T(T *p) { return here##T(1, away##T(*p, 2, p), 3).member; }

PASS(DoubleInt, i)
PASS(DoubleChars, c[3])
PASS(CharDouble, c)
PASS(CharShort, s)
PASS(ShortChar, c)
PASS(IntChar, c)
PASS(Three, c[2])
PASS(Spread, d)
PASS(LongShortChar, c)
PASS(Point, z)
PASS(Slice, n)
PASS(FiftySix, c)
PASS(Fourteen, s[6])
PASS(Matrix, flags)
PASS(FortyEight, f)

#pragma omp end declare target
