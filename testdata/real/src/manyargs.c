// More arguments than twelve registers hold, so that some go to the stack and holes are filled again.
#include "device.h"

#pragma omp declare target

typedef struct { int w[5]; } Five;
typedef struct { double d[6]; } Twelve;
typedef struct { char c[3]; } Odd;

DEVICE long long awayMany(int, long long, int, Five, double, char, Odd, Twelve, float, short, long long, int);

DEVICE NOINLINE int sixteen(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m,
                            int n, int o, int p) {
  return a - b + c - d + e - f + g - h + i - j + k - l + m - n + o - p;
}

DEVICE NOINLINE double holes(int a, double b, int c, double d, char e, long long f, short g, Five h, int i, Odd j) {
  return a + b + c + d + e + (double)f + g + h.w[4] + i + j.c[2];
}

DEVICE NOINLINE double split(int a, Twelve t, int b) { return a + t.d[5] + b; }

DEVICE NOINLINE Twelve back(Five f, Five g, Five h, double d) {
  Twelve t = {{d, (double)f.w[0], (double)g.w[1], (double)h.w[2], d, d}};
  return t;
}

DEVICE NOINLINE long long wide(long long a, int b, long long c, int d, long long e, int f, long long g, int h,
                               long long i) {
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i;
}

DEVICE double run(int x, double y, Five *f, Twelve *t, Odd o) {
  int s = sixteen(x, 1, x, 2, x, 3, x, 4, x, 5, x, 6, x, 7, x, 8);
  *t = back(*f, f[1], f[2], y);
  return s + holes(x, y, 3, y, 'c', 1LL << 50, -7, *f, x, o) + split(x, *t, 9) + (double)wide(1, 2, 3, 4, x, 6, 7, 8, 9) +
         (double)awayMany(x, 2, 3, *f, y, 'z', o, *t, 1.5f, 4, 5, 6);
}

#pragma omp end declare target
