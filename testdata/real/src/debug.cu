// Debug information of NVIDIA's front end: a kernel, inlined helpers, a class, calls. Nothing is included,
// so that the only file named is this one.

#define DEVICE extern "C" __attribute__((device))
#define METHOD __attribute__((device))
#define NOINLINE __attribute__((noinline))

struct Counter {
  int value;
  short step;
  METHOD void bump(int by) { value += by * step; }
  METHOD int get() const { return value; }
};

static __attribute__((device)) inline int triangle(int n) { return n * (n + 1) / 2; }

DEVICE NOINLINE Counter advance(Counter c, int n) {
  for (int i = 0; i < n; i++) c.bump(triangle(i));
  return c;
}

DEVICE int away(Counter, const char *);

extern "C" __attribute__((global)) void run(Counter *counters, Counter start, int n) {
  Counter c = advance(start, n);
  if (c.get() > 100) c.bump(away(c, "large"));
  counters[n] = c;
}
