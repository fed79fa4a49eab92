// Unions by value: of scalars, of records, inside records, larger than the registers.
#include "device.h"

#pragma omp declare target

typedef union { int i; float f; } Word;
typedef union { double d; char c[12]; } Twelve;
typedef union { char c[3]; short s; } Four;
typedef union { struct { int x, y, z; } v; long long l; } Vec;
typedef struct { int tag; union { double d; void *p; char text[11]; } u; } Tagged;
typedef union { double d[8]; char c[61]; } Big;
typedef union { unsigned char b[5]; } Five;

DEVICE Word awayWord(Word);
DEVICE Tagged awayTagged(Tagged, Word, Four);

DEVICE NOINLINE Word negate(Word x) {
  x.i ^= 1 << 31;
  return x;
}

DEVICE NOINLINE Twelve rotate(Twelve x) {
  char first = x.c[0];
  for (int i = 0; i < 11; i++) x.c[i] = x.c[i + 1];
  x.c[11] = first;
  return x;
}

DEVICE NOINLINE Four four(Four a, Four b) {
  a.s += b.c[1];
  return a;
}

DEVICE NOINLINE Vec vec(Vec a, int n) {
  a.v.z += n;
  return a;
}

DEVICE NOINLINE Tagged retag(Tagged t, double d) {
  if (t.tag == 0) t.u.d = d;
  else t.u.text[t.tag % 11] = 0;
  return t;
}

DEVICE NOINLINE Big fill(Big b, Five f) {
  b.c[60] = (char)f.b[4];
  return b;
}

DEVICE float run(float f, int n, void *p, Big *big) {
  Word w;
  w.f = f;
  w = negate(awayWord(w));
  Four s;
  s.s = (short)n;
  Tagged t;
  t.tag = n;
  t.u.p = p;
  t = retag(awayTagged(t, w, four(s, s)), f);
  Vec v;
  v.v.x = v.v.y = v.v.z = n;
  Twelve tw;
  tw.d = f;
  Five five = {{1, 2, 3, 4, 5}};
  *big = fill(*big, five);
  return w.f + (float)t.u.d + (float)vec(v, 3).l + (float)rotate(tw).d;
}

#pragma omp end declare target
