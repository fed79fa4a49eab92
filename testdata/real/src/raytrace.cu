// A small ray tracer: points by value everywhere, an array of spheres in constant memory, recursion.
#include "device.h"

struct Vec {
  float x, y, z;
};
struct Ray {
  Vec from, along;
};
struct Material {
  Vec colour;
  float shine;
  bool mirror;
};
struct Sphere {
  Vec centre;
  float radius;
  Material material;
};
struct Hit {
  float t;
  Vec at, normal;
  Material material;
  bool found;
};
struct Camera {
  Vec eye, forward, right, up;
  int width, height;
};

CONSTANT Sphere scene[8];

DEVICE NOINLINE Vec add(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
DEVICE NOINLINE Vec sub(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
DEVICE NOINLINE Vec mul(Vec a, float k) { return {a.x * k, a.y * k, a.z * k}; }
DEVICE NOINLINE float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

LOCAL float root(float x) {
  float r;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

DEVICE NOINLINE Vec unit(Vec v) { return mul(v, 1 / root(dot(v, v))); }
DEVICE NOINLINE Vec reflect(Vec v, Vec n) { return sub(v, mul(n, 2 * dot(v, n))); }

DEVICE NOINLINE Hit nearest(Ray r) {
  Hit h = {1e30f, {0, 0, 0}, {0, 0, 0}, {{0, 0, 0}, 0, false}, false};
  for (int i = 0; i < 8; i++) {
    Sphere s = scene[i];
    Vec o = sub(r.from, s.centre);
    float b = dot(o, r.along), d = b * b - dot(o, o) + s.radius * s.radius;
    if (d < 0) continue;
    float t = -b - root(d);
    if (t < 1e-3f || t >= h.t) continue;
    h.t = t;
    h.at = add(r.from, mul(r.along, t));
    h.normal = unit(sub(h.at, s.centre));
    h.material = s.material;
    h.found = true;
  }
  return h;
}

DEVICE NOINLINE Vec shade(Hit h, Vec light, Ray r) {
  float k = dot(h.normal, light);
  return mul(h.material.colour, k < 0 ? 0.1f : k + h.material.shine * dot(r.along, light));
}

DEVICE NOINLINE Vec trace(Ray r, Vec light, int depth) {
  Hit h = nearest(r);
  if (!h.found) return {0.2f, 0.3f, 0.5f};
  Vec c = shade(h, light, r);
  if (h.material.mirror && depth > 0) {
    Ray again = {h.at, reflect(r.along, h.normal)};
    c = add(mul(c, 0.5f), mul(trace(again, light, depth - 1), 0.5f));
  }
  return c;
}

KERNEL render(Camera c, Vec light, unsigned char *out) {
  int i = BLOCK * BLOCKSIZE + THREAD;
  if (i >= c.width * c.height) return;
  float u = 2.0f * (float)(i % c.width) / (float)c.width - 1, v = 2.0f * (float)(i / c.width) / (float)c.height - 1;
  Ray r = {c.eye, unit(add(c.forward, add(mul(c.right, u), mul(c.up, v))))};
  Vec colour = trace(r, unit(light), 4);
  out[3 * i] = (unsigned char)(255 * colour.x);
  out[3 * i + 1] = (unsigned char)(255 * colour.y);
  out[3 * i + 2] = (unsigned char)(255 * colour.z);
}
