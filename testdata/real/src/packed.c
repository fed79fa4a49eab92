// Packed records, packed ones with a higher alignment again, and members at odd offsets.
#include "device.h"

#pragma omp declare target

typedef struct __attribute__((packed)) { char c; int i; } Five;
typedef struct __attribute__((packed)) { char c; double d; short s; } Eleven;
typedef struct __attribute__((packed, aligned(2))) { char c; int i; } Six;
typedef struct __attribute__((packed, aligned(4))) { char c; long long l; } Twelve;
typedef struct __attribute__((packed)) { short s; Five f; float x; } Nested;
typedef struct { char c; Five f[3]; int i; } Around;
typedef struct __attribute__((packed)) { char c; long long l[8]; } SixtyFive;
typedef struct { int i; char c __attribute__((aligned(8))); short s __attribute__((packed)); } Members;

DEVICE Eleven awayEleven(Five, Eleven, Six);
DEVICE SixtyFive awaySixtyFive(SixtyFive, Twelve);

DEVICE NOINLINE Five five(Five x) {
  x.i += x.c;
  return x;
}

DEVICE NOINLINE Six six(Six x, int n) {
  x.i *= n;
  return x;
}

DEVICE NOINLINE Twelve twelve(Twelve x, Twelve y) {
  x.l += y.l;
  return x;
}

DEVICE NOINLINE Nested nested(Nested x) {
  x.f = five(x.f);
  x.x += x.s;
  return x;
}

DEVICE NOINLINE Around around(Around x, int k) {
  x.f[1].i = k;
  return x;
}

DEVICE NOINLINE Members members(Members x) {
  x.s += x.c;
  return x;
}

DEVICE long long run(Five *a, Eleven *b, Six *c, Twelve *d, SixtyFive *e, Nested *f, Around *g, Members *h) {
  *a = five(*a);
  *b = awayEleven(*a, *b, *c);
  *c = six(*c, 3);
  *d = twelve(*d, *d);
  *e = awaySixtyFive(*e, *d);
  *f = nested(*f);
  *g = around(*g, 7);
  *h = members(*h);
  return a->i + c->i + d->l + e->l[7];
}

#pragma omp end declare target
