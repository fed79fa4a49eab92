// Records of words, aligned to 4, up to 300 bytes: with more than 48 the result goes through memory.
#include "device.h"

#pragma omp declare target

#define RECORD(n)                                                              \
  typedef struct {                                                             \
    int w[n / 4];                                                              \
  } W##n;                                                                      \
  DEVICE W##n away##n(W##n, int);                                              \
  DEVICE NOINLINE W##n here##n(int k, W##n x) {                                \
    x.w[0] += k;                                                               \
    x.w[n / 4 - 1] -= k;                                                       \
    return x;                                                                  \
  }                                                                            \
  DEVICE int both##n(W##n *p) {                                                \
    W##n r = here##n(3, away##n(*p, 4));                                       \
    return r.w[0] + r.w[n / 4 - 1];                                            \
  }

RECORD(4)
RECORD(8)
RECORD(12)
RECORD(16)
RECORD(20)
RECORD(24)
RECORD(32)
RECORD(40)
RECORD(44)
RECORD(48)
RECORD(52)
RECORD(64)
RECORD(100)
RECORD(128)
RECORD(200)
RECORD(256)
RECORD(300)

#pragma omp end declare target
