// Vectors by value: two, three, four, eight and sixteen elements of every width. Two elements of one byte
// are missing, and a lane chosen at run time: clang 19 does not survive the one and writes what ptxas
// refuses for the other (see the README).
#include "device.h"

#define VECTOR(T, N, name) typedef T name __attribute__((ext_vector_type(N)))
VECTOR(float, 2, float2);
VECTOR(float, 3, float3);
VECTOR(float, 4, float4);
VECTOR(double, 2, double2);
VECTOR(double, 4, double4);
VECTOR(char, 3, char3);
VECTOR(char, 4, char4);
VECTOR(short, 2, short2);
VECTOR(short, 8, short8);
VECTOR(int, 3, int3);
VECTOR(long long, 2, long2);
VECTOR(unsigned char, 16, uchar16);
typedef struct { float4 v; char3 c; } Holds;

#define PASS(T)                                                             \
  T away##T(int, T);                                                        \
  NOINLINE T here##T(T a, int k, T b) { return k ? a + b : b; }             \
  void both##T(T *p) { p[2] = here##T(p[0], 1, away##T(2, p[1])); }

PASS(float2)
PASS(float3)
PASS(double2)
PASS(double4)
PASS(char3)
PASS(char4)
PASS(short2)
PASS(short8)
PASS(int3)
PASS(long2)
PASS(uchar16)

#if __clang_major__ != 21 // which does not survive these
PASS(float4)

NOINLINE Holds holds(Holds h, char3 c) {
  h.c += c;
  return h;
}
void bothHolds(Holds *p, char3 c) { *p = holds(*p, c); }
#endif
