// Tensor cores through inline assembly: wmma, mma.sync, ldmatrix, cp.async, with fragments as records.
#include "device.h"

struct FragmentA {
  unsigned r[4];
};
struct FragmentB {
  unsigned r[2];
};
struct FragmentC {
  float f[4];
};
struct WmmaC {
  float f[8];
};

LOCAL unsigned sharedAddress(const void *p) {
  unsigned a;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
  return a;
}

DEVICE NOINLINE FragmentC multiply(FragmentA a, FragmentB b, FragmentC c) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c.f[0]), "+f"(c.f[1]), "+f"(c.f[2]), "+f"(c.f[3])
               : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]));
  return c;
}

DEVICE NOINLINE FragmentA load(const void *p) {
  FragmentA a;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a.r[0]), "=r"(a.r[1]), "=r"(a.r[2]), "=r"(a.r[3])
               : "r"(sharedAddress(p)));
  return a;
}

DEVICE NOINLINE FragmentB loadB(const void *p) {
  FragmentB b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(b.r[0]), "=r"(b.r[1]) : "r"(sharedAddress(p)));
  return b;
}

DEVICE NOINLINE WmmaC wmma(const unsigned short *a, const unsigned short *b, WmmaC c) {
  asm volatile(
      "{\n\t.reg .b32 a<8>, b<8>;\n\t"
      "wmma.load.a.sync.aligned.row.m16n16k16.f16 {a0, a1, a2, a3, a4, a5, a6, a7}, [%8], 16;\n\t"
      "wmma.load.b.sync.aligned.col.m16n16k16.f16 {b0, b1, b2, b3, b4, b5, b6, b7}, [%9], 16;\n\t"
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
      "{a0, a1, a2, a3, a4, a5, a6, a7}, {b0, b1, b2, b3, b4, b5, b6, b7}, {%0, %1, %2, %3, %4, %5, %6, %7};\n\t}"
      : "+f"(c.f[0]), "+f"(c.f[1]), "+f"(c.f[2]), "+f"(c.f[3]), "+f"(c.f[4]), "+f"(c.f[5]), "+f"(c.f[6]), "+f"(c.f[7])
      : "l"(a), "l"(b));
  return c;
}

KERNEL gemm(const unsigned short *a, const unsigned short *b, float *out, int steps) {
  SHARED static unsigned short tileA[256] __attribute__((aligned(16)));
  SHARED static unsigned short tileB[128] __attribute__((aligned(16)));
  FragmentC c = {{0, 0, 0, 0}};
  for (int k = 0; k < steps; k++) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(&tileA[8 * THREAD])), "l"(a + k * 256 + 8 * THREAD));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(sharedAddress(&tileB[4 * THREAD])), "l"(b + k * 128 + 4 * THREAD));
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
    BARRIER;
    c = multiply(load(&tileA[8 * THREAD]), loadB(&tileB[8 * (THREAD & 15)]), c);
    BARRIER;
  }
  for (int i = 0; i < 4; i++) out[4 * THREAD + i] = c.f[i];
  WmmaC w = {{0}};
  w = wmma(a, b, w);
  out[128 + THREAD] = w.f[THREAD & 7];
}
