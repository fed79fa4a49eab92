// Records in records, arrays of records, arrays indexed at run time inside parameters.
#include "device.h"

#pragma omp declare target

typedef struct { float x, y, z; } Vec3;
typedef struct { Vec3 origin, direction; } Ray;
typedef struct { Vec3 corner[2]; unsigned char kind; } Box;
typedef struct { Box box[2]; Ray ray; short id; } Scene;
typedef struct { struct { char a; short b[3]; } inner[2]; char tail; } Small;

DEVICE int hitAway(Scene, Ray, int);

DEVICE NOINLINE Vec3 add(Vec3 a, Vec3 b) {
  Vec3 r = {a.x + b.x, a.y + b.y, a.z + b.z};
  return r;
}

DEVICE NOINLINE Vec3 scale(Vec3 a, float k) {
  Vec3 r = {a.x * k, a.y * k, a.z * k};
  return r;
}

DEVICE NOINLINE Vec3 at(Ray r, float t) { return add(r.origin, scale(r.direction, t)); }

DEVICE NOINLINE Vec3 corner(Box b, int i) { return b.corner[i]; }

DEVICE NOINLINE Box pick(Scene s, int i) { return s.box[i]; }

DEVICE NOINLINE Small small(Small s, int i, int j) {
  s.inner[i].b[j] += s.tail;
  return s;
}

DEVICE NOINLINE Scene move(Scene s, Vec3 by) {
  s.ray.origin = add(s.ray.origin, by);
  s.id++;
  return s;
}

DEVICE float run(Scene *s, int i, float t, Small *q) {
  Vec3 p = at(s->ray, t);
  *s = move(*s, p);
  *q = small(*q, i, i + 1);
  return corner(pick(*s, i), i).y + (float)hitAway(*s, s->ray, i);
}

#pragma omp end declare target
