// Kernels with record parameters, which call functions that take and return records.
#include "device.h"

struct Vec {
  float x, y, z;
};
struct Body {
  Vec position, velocity;
  float mass;
};
struct Config {
  double step;
  int count;
  char mode;
  Vec wind;
};
struct Large {
  int table[40];
};
struct __attribute__((aligned(16))) Aligned {
  float v[4];
};

DEVICE NOINLINE Vec pull(Body a, Body b) {
  Vec d = {b.position.x - a.position.x, b.position.y - a.position.y, b.position.z - a.position.z};
  float k = b.mass / (d.x * d.x + d.y * d.y + d.z * d.z + 1e-3f);
  d.x *= k;
  d.y *= k;
  d.z *= k;
  return d;
}

DEVICE NOINLINE Body advance(Body b, Vec force, const Config c) {
  float dt = (float)c.step;
  b.velocity.x += (force.x + c.wind.x) * dt;
  b.velocity.y += (force.y + c.wind.y) * dt;
  b.velocity.z += (force.z + c.wind.z) * dt;
  if (c.mode == 'm') b.mass *= 0.99f;
  return b;
}

DEVICE NOINLINE int lookup(Large l, int i) { return l.table[i]; }
DEVICE NOINLINE Aligned blend(Aligned a, float k) {
  for (int i = 0; i < 4; i++) a.v[i] *= k;
  return a;
}

KERNEL simulate(Body *bodies, Config c) {
  int i = BLOCK * BLOCKSIZE + THREAD;
  if (i >= c.count) return;
  Vec sum = {0, 0, 0};
  for (int j = 0; j < c.count; j++) {
    Vec f = pull(bodies[i], bodies[j]);
    sum.x += f.x;
    sum.y += f.y;
    sum.z += f.z;
  }
  BARRIER;
  bodies[i] = advance(bodies[i], sum, c);
}

KERNEL gather(int *out, Large l, short shift, bool negate) {
  int v = lookup(l, THREAD % 40) + l.table[THREAD & 7] + shift;
  out[THREAD] = negate ? -v : v;
}

KERNEL mix(char pad, Aligned a, Aligned *out, float k) { *out = blend(a, k + pad); }

KERNEL nothing() {}
