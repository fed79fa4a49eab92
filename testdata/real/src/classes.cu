// C++: methods, virtual functions, constructors, references, templates, closures passed as functions.
#include "device.h"

namespace shapes {

struct Vec {
  float x, y;
  METHOD Vec(float x, float y) : x(x), y(y) {}
  METHOD Vec operator+(Vec o) const;
  METHOD NOINLINE Vec &scale(float k) {
    x *= k;
    y *= k;
    return *this;
  }
};

METHOD NOINLINE Vec Vec::operator+(Vec o) const { return Vec(x + o.x, y + o.y); }

class Shape {
public:
  METHOD Shape(int id) : id(id) {}
  METHOD virtual float area() const = 0;
  METHOD virtual Vec centre(Vec from, char where) const { return from; }
  int id;
};

class Circle : public Shape {
public:
  METHOD Circle(int id, float r) : Shape(id), r(r) {}
  METHOD float area() const override { return 3.14f * r * r; }

private:
  float r;
};

class Box : public Shape {
public:
  METHOD Box(int id, Vec size) : Shape(id), size(size) {}
  METHOD float area() const override { return size.x * size.y; }
  METHOD Vec centre(Vec from, char where) const override { return where ? from + size : from; }

private:
  Vec size;
};

} // namespace shapes

struct Empty {};
struct Copied { // not trivial to copy: passed by its address
  int v;
  METHOD Copied(int v) : v(v) {}
  METHOD Copied(const Copied &o) : v(o.v + 1) {}
};

METHOD NOINLINE int empty(Empty, int x) { return x; }
METHOD NOINLINE Copied copied(Copied c, int k) { return Copied(c.v + k); }
METHOD NOINLINE float total(const shapes::Shape *const *s, int n) {
  float t = 0;
  for (int i = 0; i < n; i++) t += s[i]->area() + s[i]->centre(shapes::Vec(1, 2), (char)i).x;
  return t;
}

template <typename T, int N> struct Array {
  T v[N];
};
template <typename T, int N> METHOD NOINLINE Array<T, N> map(Array<T, N> a, T (*f)(T)) {
  for (int i = 0; i < N; i++) a.v[i] = f(a.v[i]);
  return a;
}
template <typename F> METHOD NOINLINE int call(F f, int x) { return f(x) + f(x + 1); }

METHOD NOINLINE double half(double x) { return x / 2; }
METHOD NOINLINE short negative(short x) { return (short)-x; }

__attribute__((global)) void run(float *out, Array<double, 7> a, Array<short, 3> b, int k) {
  shapes::Circle c(1, 2.0f);
  shapes::Box x(2, shapes::Vec(3, 4));
  const shapes::Shape *s[2] = {&c, &x};
  out[0] = total(s, THREAD & 1 ? 2 : 1);
  out[1] = (float)map(a, half).v[6] + map(b, negative).v[2];
  char big = (char)k;
  long long scale = k;
  out[2] = (float)call([=](int y) { return (int)(y * scale + big); }, k);
  out[3] = (float)(empty(Empty(), k) + copied(Copied(k), 3).v) + shapes::Vec(1, 1).scale(3).x;
}
