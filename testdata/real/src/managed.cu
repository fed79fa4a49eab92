// Unified memory, parameters that stay in place, clusters and launch bounds of NVIDIA's front end.
#include "device.h"

struct Table {
  int w[64];
};
struct Counter {
  unsigned long long hits;
};

__attribute__((device)) __attribute__((managed)) int shared_with_host = 3;
__attribute__((device)) __attribute__((managed)) Counter counter;

DEVICE NOINLINE int find(const Table &t, int v) {
  for (int i = 0; i < 64; i++)
    if (t.w[i] == v) return i;
  return -1;
}

KERNEL search(const __attribute__((grid_constant)) Table t, int *out) {
  out[THREAD] = find(t, THREAD) + shared_with_host;
  counter.hits++;
}

KERNEL searchCopy(Table t, int *out) { out[THREAD] = find(t, THREAD); }

KERNEL __attribute__((cluster_dims(2, 1, 1))) __attribute__((launch_bounds(128, 1))) clustered(int *out) { out[THREAD] = BLOCK; }
KERNEL __attribute__((maxnreg(40))) narrow(int *out) { out[THREAD] = BLOCK; }
