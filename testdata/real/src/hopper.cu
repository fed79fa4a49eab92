// What sm_90a adds: warp-group multiplication, bulk copies with barriers, clusters, register budgets.
#include "device.h"

struct Descriptor {
  unsigned long long bits;
};
struct Tile {
  float f[16];
};
struct __attribute__((aligned(64))) TensorMap {
  unsigned long long opaque[16];
};

LOCAL unsigned sharedAddress(const void *p) {
  unsigned a;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
  return a;
}

DEVICE NOINLINE Descriptor describe(unsigned address, int stride) {
  Descriptor d = {(unsigned long long)((address & 0x3ffff) >> 4) | ((unsigned long long)(stride >> 4) << 32) | (1ull << 62)};
  return d;
}

DEVICE NOINLINE Tile multiply(Descriptor a, Descriptor b, Tile t, bool accumulate) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %18, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, p, 1, 1, 0, 0;\n\t}"
      : "+f"(t.f[0]), "+f"(t.f[1]), "+f"(t.f[2]), "+f"(t.f[3]), "+f"(t.f[4]), "+f"(t.f[5]), "+f"(t.f[6]), "+f"(t.f[7]),
        "+f"(t.f[8]), "+f"(t.f[9]), "+f"(t.f[10]), "+f"(t.f[11]), "+f"(t.f[12]), "+f"(t.f[13]), "+f"(t.f[14]), "+f"(t.f[15])
      : "l"(a.bits), "l"(b.bits), "r"((int)accumulate));
  asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
  return t;
}

DEVICE NOINLINE void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n\t.reg .pred P1;\n\tWAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n\t"
      "@P1 bra DONE;\n\tbra WAIT;\n\tDONE:\n\t}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

DEVICE NOINLINE void fetch(const TensorMap *map, unsigned to, unsigned barrier, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
               "l"(map), "r"(barrier), "r"(x), "r"(y)
               : "memory");
}

KERNEL gemm(const TensorMap a, const TensorMap b, float *out, int steps) {
  SHARED static unsigned short tile[2][4096] __attribute__((aligned(128)));
  SHARED static unsigned long long full;
  unsigned barrier = sharedAddress(&full);
  if (THREAD == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async;" ::"r"(barrier) : "memory");
  BARRIER;
  asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");
  Tile t = {{0}};
  for (int k = 0; k < steps; k++) {
    if (THREAD == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" ::"r"(barrier) : "memory");
      fetch(&a, sharedAddress(tile[0]), barrier, 64 * k, BLOCK);
      fetch(&b, sharedAddress(tile[1]), barrier, 64 * k, 0);
    }
    wait(barrier, (unsigned)k & 1);
    t = multiply(describe(sharedAddress(tile[0]), 1024), describe(sharedAddress(tile[1]), 1024), t, k != 0);
  }
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  for (int i = 0; i < 16; i++) out[(rank + 16 * THREAD) + i] = t.f[i];
}
