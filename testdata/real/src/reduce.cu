// A reduction: shared memory, barriers in a loop, shuffles, a record of minimum, maximum and sum.
#include "device.h"

struct Stats {
  float low, high;
  double sum;
  int count;
};

LOCAL float shuffle(float v, int delta) {
  float r;
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(r) : "f"(v), "r"(delta));
  return r;
}

DEVICE NOINLINE Stats merge(Stats a, Stats b) {
  Stats r;
  r.low = a.low < b.low ? a.low : b.low;
  r.high = a.high > b.high ? a.high : b.high;
  r.sum = a.sum + b.sum;
  r.count = a.count + b.count;
  return r;
}

DEVICE NOINLINE Stats one(float v) {
  Stats s = {v, v, v, 1};
  return s;
}

KERNEL reduce(const float *in, Stats *out, int n) {
  SHARED static Stats tile[256];
  int i = BLOCK * BLOCKSIZE + THREAD;
  Stats s = one(i < n ? in[i] : 0);
  for (int j = i + BLOCKSIZE; j < n; j += BLOCKSIZE) s = merge(s, one(in[j]));
  tile[THREAD] = s;
  BARRIER;
  for (int half = BLOCKSIZE / 2; half > 0; half >>= 1) {
    if (THREAD < half) tile[THREAD] = merge(tile[THREAD], tile[THREAD + half]);
    BARRIER;
  }
  if (THREAD < 32) s.low = shuffle(s.low, 16);
  if (THREAD == 0) out[BLOCK] = tile[0];
}
