// Records whose alignment is raised to 16, 32, 64 and 128, through the type and through a member. A
// result is aligned as its arguments by NVIDIA's front end, and less by clang: see the README.
#include "device.h"

#pragma omp declare target

#define ALIGNED(n) __attribute__((aligned(n)))

typedef struct ALIGNED(16) { int x, y, z; } A16;
typedef struct ALIGNED(32) { int x; } A32;
typedef struct ALIGNED(64) { double d[3]; } A64;
typedef struct ALIGNED(128) { char c; } A128;
typedef struct { char c; int x ALIGNED(16); } Member16;
typedef struct { A32 a; short s; } Holds32;
typedef struct ALIGNED(8) { char c[5]; } A8;
typedef struct ALIGNED(2) { char c; } A2;

#define PASS(T, member)                                          \
  DEVICE NOINLINE T here##T(T x, char k, T y) {                  \
    x.member += y.member + k;                                    \
    return x;                                                    \
  }                                                              \
  DEVICE int take##T(int, T, double);                            \
  DEVICE double both##T(T *p, int n) { return here##T(*p, 1, p[n]).member + take##T(n, p[n], 2); }

PASS(A16, z)
PASS(A32, x)
PASS(A64, d[2])
PASS(A128, c)
PASS(Member16, x)
PASS(Holds32, s)
PASS(A8, c[4])
PASS(A2, c)

#pragma omp end declare target
