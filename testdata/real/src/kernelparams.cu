// Kernel parameters of every width and kind, with the padding between them.
#include "device.h"

struct Odd {
  char c[3];
};
struct __attribute__((aligned(64))) Line {
  int w[16];
};
struct __attribute__((aligned(8))) Half {
  unsigned short h;
};
union Any {
  double d;
  unsigned char b[9];
};
enum Color { red, green };

KERNEL scalars(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long long g,
               unsigned long long h, float i, double j, bool k, char l, Color m, double *out) {
  out[0] = a + b + c + d + e + f + g + h + i + j + k + l + m;
}

KERNEL pointers(const int *__restrict__ in, int *__restrict__ out, void **table, const char *text, void (*fp)(int)) {
  out[0] = in[0] + text[3];
  table[1] = out;
  fp(in[1]);
}

KERNEL records(Odd a, char b, Line c, Half d, Any e, Odd f, double *out) {
  out[0] = a.c[2] + b + c.w[15] + d.h + e.d + f.c[0];
}

KERNEL references(const Line &c, int *const &p) { *p = c.w[3]; }

KERNEL __attribute__((launch_bounds(256, 2))) bounded(int *p, char c) { p[THREAD] = c; }

KERNEL __attribute__((launch_bounds(64))) boundedToo(int *p) { p[THREAD] = BLOCK; }
