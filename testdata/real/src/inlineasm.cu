// Inline assembly with blocks, registers and labels of the same names, the blocks nested, used often.
#include "device.h"

#define WAIT(p)                                 \
  asm volatile(                                 \
      "{\n\t"                                   \
      ".reg .pred done;\n\t"                    \
      ".reg .b32 v;\n\t"                        \
      "LOOP:\n\t"                               \
      "ld.volatile.u32 v, [%0];\n\t"            \
      "setp.ne.u32 done, v, 0;\n\t"             \
      "@!done bra LOOP;\n\t"                    \
      "}" ::"l"(p)                              \
      : "memory")

#define CLAMP(r, x, lo, hi)                             \
  asm("{\n\t"                                           \
      "  .reg .pred below, above;\n\t"                  \
      "  .reg .s32 t;\n\t"                              \
      "  setp.lt.s32 below, %1, %2;\n\t"                \
      "  @below bra LOW;\n\t"                           \
      "  {\n\t"                                         \
      "    .reg .s32 t;\n\t"                            \
      "    setp.gt.s32 above, %1, %3;\n\t"              \
      "    selp.s32 t, %3, %1, above; // inner t\n\t"   \
      "    mov.s32 %0, t;\n\t"                          \
      "  }\n\t"                                         \
      "  bra.uni DONE;\n\t"                             \
      "LOW: mov.s32 t, %2; mov.s32 %0, t;\n\t"          \
      "DONE:\n\t"                                       \
      "}"                                               \
      : "=r"(r)                                         \
      : "r"(x), "r"(lo), "r"(hi))

struct Pair {
  int a, b;
};

DEVICE int away(Pair, int);

DEVICE NOINLINE Pair clamp(Pair p, int lo, int hi) {
  Pair r;
  CLAMP(r.a, p.a, lo, hi);
  CLAMP(r.b, p.b, lo, hi);
  return r;
}

DEVICE NOINLINE unsigned special() {
  unsigned a, b;
  unsigned long long t;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(a));
  asm volatile("mov.u32 %0, %%smid; /* which processor */" : "=r"(b));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t));
  return a + b + (unsigned)t;
}

DEVICE NOINLINE float fast(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;\n\tadd.rn.f32 %0, %0, 0f3F800000;" : "=f"(r) : "f"(x));
  return r;
}

DEVICE NOINLINE int add3(int a, int b, int c) {
  int r;
  asm("{ .reg .s32 %%t<2>; add.s32 %%t0, %1, %2; add.s32 %%t1, %%t0, %3; mov.b32 %0, %%t1; }" : "=r"(r) : "r"(a), "r"(b), "n"(42));
  return r + c;
}

KERNEL run(unsigned *flags, Pair *p, float *f) {
  WAIT(flags);
  Pair q = clamp(p[THREAD], -5, 5);
  WAIT(flags + 1);
  q.a += away(q, add3(q.a, q.b, 3));
  WAIT(flags + 2);
  p[THREAD] = q;
  f[THREAD] = fast(f[THREAD]) + (float)special();
  asm volatile("" ::: "memory");
  asm volatile(".pragma \"nounroll\";");
  asm volatile("trap;");
}
