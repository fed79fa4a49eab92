// Calls in loops, in the arms of branches that threads take differently, under conditions, in sequence.
#include "device.h"

#pragma omp declare target

typedef struct { float x, y; } P;

DEVICE P awayLeft(P, int);
DEVICE P awayRight(P, int);
DEVICE int less(P, P);

DEVICE NOINLINE P mid(P a, P b) {
  P r = {(a.x + b.x) / 2, (a.y + b.y) / 2};
  return r;
}

DEVICE NOINLINE float walk(P p, const int *path, int n) {
  for (int i = 0; i < n; i++) {
    if (path[i] > 0) p = awayLeft(p, i);
    else if (path[i] < 0) p = awayRight(p, i);
    else if (i > 3) break;
  }
  return p.x;
}

DEVICE NOINLINE void sort(P *p, int n) {
  for (int i = 1; i < n; i++) {
    P x = p[i];
    int j = i - 1;
    while (j >= 0 && less(x, p[j])) {
      p[j + 1] = p[j];
      j--;
    }
    p[j + 1] = x;
  }
}

DEVICE NOINLINE int guarded(int x, P *p) {
  int r = 0;
  if (x & 1) r += less(p[0], p[1]);
  if (x & 2) r += less(p[1], p[2]);
  if (x & 4) return r;
  p[0] = x > 100 ? mid(p[1], p[2]) : mid(p[2], p[1]);
  return less(p[0], p[1]) ? r : -r;
}

DEVICE NOINLINE float chain(P a, P b, P c, P d) { return mid(mid(a, b), mid(c, d)).y; }

DEVICE float run(P *p, const int *path, int n) {
  sort(p, n);
  float r = 0;
  do r += walk(p[n - 1], path, n) + chain(p[0], p[1], p[2], p[3]);
  while (guarded(n--, p) > 0);
  return r;
}

#pragma omp end declare target
