struct In { short s; char c[3]; };
struct P { float a; int n; double d; const float *p; In in; unsigned f : 3; unsigned g : 5; unsigned long u[2]; enum E { A } e; bool b; };
struct __attribute__((aligned(16))) V { float x, y, z, w; };
template <class T> struct B { T begin, end; };
struct D : B<int> { float m; union { int i; float f; } un; };
__attribute__((global)) void step(P p, float *x, int n) { x[n] = p.a + p.n + p.d + p.in.s; }
namespace q { __attribute__((global)) void two(V v, D d, float f) {} }
extern "C" __attribute__((global)) void three(double l) {}
