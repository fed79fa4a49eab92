// Bit-fields: in one unit, across units, with a zero-width one, in packed records, with wide types.
#include "device.h"

#pragma omp declare target

typedef struct { unsigned a : 3, b : 5, c : 24; } Word;
typedef struct { unsigned char a : 1, b : 2; unsigned char : 0; unsigned char c : 7; } Bytes;
typedef struct { int a : 17; int b : 17; } TwoWords;
typedef struct { long long a : 33; int b : 20; } Wide;
typedef struct { double d; char c[4]; unsigned f : 5; } Tail;
typedef struct __attribute__((packed)) { unsigned a : 9, b : 13, c : 11; } Packed;
typedef struct { short a : 4; int : 0; short b : 4; } Zero;

#define PASS(T, member)                                   \
  DEVICE T away##T(T, int);                               \
  DEVICE NOINLINE T here##T(T x, int k) {                 \
    x.member += k;                                        \
    return x;                                             \
  }                                                       \
  DEVICE int both##T(T *p) { return here##T(away##T(*p, 5), 6).member; }

PASS(Word, c)
PASS(Bytes, c)
PASS(TwoWords, b)
PASS(Wide, a)
PASS(Tail, f)
PASS(Packed, b)
PASS(Zero, b)

#pragma omp end declare target
