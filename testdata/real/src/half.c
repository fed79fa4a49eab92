// Half precision and bfloat16: alone, in pairs, in records, mixed with words.
#include "device.h"

typedef _Float16 half;
typedef __bf16 bfloat;
typedef half half2 __attribute__((ext_vector_type(2)));
typedef bfloat bfloat2 __attribute__((ext_vector_type(2)));
typedef half half4 __attribute__((ext_vector_type(4)));
typedef struct { half h; } One;
typedef struct { half h; float f; half g[3]; } Some;

half awayHalf(half, half, int);
bfloat awayBfloat(bfloat, float);

NOINLINE half add(half a, half b) { return a + b; }
NOINLINE bfloat same(bfloat a, int which, bfloat b) { return which ? a : b; }
NOINLINE half2 pair(half2 a, half2 b) { return a * b; }
NOINLINE bfloat2 bpair(bfloat2 a, int n) { return n ? a : a.yx; }
NOINLINE half4 quad(half4 a, half b) { return a + b; }
NOINLINE One one(One a, half b) {
  a.h += b;
  return a;
}
NOINLINE Some some(Some s, half k) {
  s.g[1] = s.h * k;
  return s;
}

float run(half *p, bfloat *q, half2 *r, Some *s, half4 *v, bfloat2 *w) {
  p[0] = add(p[1], p[2]);
  p[3] = awayHalf(p[0], p[1], 3);
  q[0] = awayBfloat(same(q[1], p[3] > p[2], q[2]), 1.5f);
  *r = pair(*r, r[1]);
  *v = quad(*v, p[0]);
  *w = bpair(*w, 1);
  *s = some(*s, one((One){p[0]}, p[1]).h);
  return (float)p[0] + (float)s->g[1];
}
