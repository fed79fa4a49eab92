// Parameter blocks near and over 4,352 bytes: over it the target needs PTX 8.1.
#include "device.h"

struct Page {
  int w[1024];
};
struct Huge {
  double d[1500];
};

DEVICE NOINLINE int take(Page p, int i) { return p.w[i]; }

KERNEL page(Page p, int *out) { out[THREAD] = p.w[THREAD] + take(p, THREAD); }
KERNEL pageAnd(Page p, char c[1], short s, int *out) { out[THREAD] = p.w[THREAD] + s + c[0]; }
KERNEL huge(char first, Huge h, float *out, short last) { out[THREAD] = (float)h.d[THREAD] + first + last; }
