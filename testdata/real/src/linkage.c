// Linkage: external, weak, hidden, static, common, aliases, functions that do not return, inlined ones.

extern int awayPlain(int);
extern __attribute__((noreturn)) void awayStop(int);

__attribute__((weak, noinline)) int replaceable(int x) { return x + 1; }

__attribute__((noinline)) int real(int x, double y) { return x + (int)y; }
int renamed(int, double) __attribute__((alias("real")));

static __attribute__((noinline)) int hidden(int x, char c) { return x * c; }
__attribute__((visibility("hidden"), noinline)) short hiddenToo(short s) { return s; }
int tentative[4];
__attribute__((weak)) short weakVariable = 3;

static inline int inlined(int x) { return x ^ 3; }

__attribute__((noreturn, noinline)) void stop(int code) {
  awayStop(code);
  for (;;) {}
}

__attribute__((noinline)) int checked(int x) {
  if (x < 0) stop(x);
  return x;
}

int run(int x, short s) {
  int r = awayPlain(x) + replaceable(x) + real(x, 1.5) + renamed(x, 2.5) + hidden(x, (char)s) + hiddenToo(s) + inlined(x);
  r += tentative[x & 3] + weakVariable;
  return checked(r);
}
