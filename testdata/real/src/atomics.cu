// Atomic operations, fences, votes, shuffles and barriers around calls, as inline assembly.
#include "device.h"

struct Cell {
  unsigned key, value;
};

DEVICE NOINLINE unsigned hash(Cell c) { return (c.key * 2654435761u) ^ (c.value >> 7); }

DEVICE NOINLINE unsigned addGlobal(unsigned *p, unsigned v) {
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
  return old;
}

DEVICE NOINLINE unsigned long long swapIf(unsigned long long *p, unsigned long long expected, unsigned long long v) {
  unsigned long long old;
  asm volatile("atom.cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "l"(p), "l"(expected), "l"(v) : "memory");
  return old;
}

DEVICE NOINLINE int shuffle(int v, int lane) {
  int r;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(v), "r"(lane));
  return r;
}

DEVICE NOINLINE unsigned ballot(bool b) {
  unsigned r;
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\tvote.sync.ballot.b32 %0, p, 0xffffffff;\n\t}"
               : "=r"(r)
               : "r"((unsigned)b));
  return r;
}

KERNEL insert(Cell *table, const Cell *in, unsigned n, unsigned *count) {
  Cell c = in[BLOCK * BLOCKSIZE + THREAD];
  unsigned slot = hash(c) % n;
  unsigned long long v = ((unsigned long long)c.value << 32) | c.key;
  while (swapIf((unsigned long long *)&table[slot], 0, v) != 0) slot = (slot + 1) % n;
  asm volatile("membar.gl;" ::: "memory");
  if (ballot(c.key & 1) & 1) addGlobal(count, (unsigned)shuffle((int)c.key, 0));
  BARRIER;
  asm volatile("bar.sync 1, 64;" ::: "memory");
  int any;
  asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %1, 0;\n\tbar.red.popc.u32 %0, 0, p;\n\t}" : "=r"(any) : "r"(slot));
  if (any > 3) addGlobal(count + 1, 1);
}
