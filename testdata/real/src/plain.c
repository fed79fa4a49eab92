// Functions that call each other before any use of a library: what the compiler prints before an assembler
// has put declarations in order.

#pragma omp declare target

typedef struct { int x, y; } Pair;
typedef struct { double d; short s; } Mixed;

static __attribute__((noinline)) int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

__attribute__((noinline)) Pair reduce(Pair p) {
  int g = gcd(p.x, p.y);
  p.x /= g;
  p.y /= g;
  return p;
}

__attribute__((noinline)) Mixed mixed(Mixed m, char c, unsigned short u, float f, _Bool b) {
  m.s = (short)(m.s + c);
  m.d += b ? f : u;
  return m;
}

__attribute__((noinline)) long long pick(long long (*f)(long long, signed char), long long l) { return f(l, (signed char)l) + 1; }
__attribute__((noinline)) long long shift(long long l, signed char c) { return l << (c & 31); }

double run(Pair *p, Mixed *m, int n) {
  for (int i = 0; i < n; i++) p[i] = reduce(p[i]);
  *m = mixed(*m, (char)n, (unsigned short)p->x, 1.5f, n > 3);
  return m->d + (double)pick(shift, n);
}

#pragma omp end declare target
