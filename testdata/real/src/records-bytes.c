// Records of bytes of every size class, as argument and result of a function here and of one elsewhere.
#include "device.h"

#pragma omp declare target

#define RECORD(n)                                                    \
  typedef struct {                                                   \
    unsigned char b[n];                                              \
  } B##n;                                                            \
  DEVICE B##n away##n(int, B##n, int);                               \
  DEVICE NOINLINE B##n here##n(B##n x, unsigned char k) {            \
    x.b[0] += k;                                                     \
    x.b[n - 1] ^= x.b[n / 2];                                        \
    return x;                                                        \
  }                                                                  \
  DEVICE int both##n(B##n *p) { return here##n(away##n(1, *p, 2), p->b[0]).b[n - 1]; }

RECORD(1)
RECORD(2)
RECORD(3)
RECORD(4)
RECORD(5)
RECORD(6)
RECORD(7)
RECORD(8)
RECORD(9)
RECORD(10)
RECORD(11)
RECORD(12)
RECORD(13)
RECORD(14)
RECORD(15)
RECORD(16)
RECORD(20)
RECORD(24)
RECORD(32)
RECORD(40)
RECORD(44)
RECORD(47)
RECORD(48)
RECORD(49)
RECORD(52)
RECORD(64)

#pragma omp end declare target
