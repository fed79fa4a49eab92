struct P { float a; float b; int n; double d; };
struct Q { long x; int y; };
struct R { char c; short s; float f[3]; float *p; };
__global__ void __launch_bounds__(128, 4) step(P p, float *out, int n);
__global__ void two(Q q, long *out);
__global__ void three(R r, float v);
__global__ void copy(P p, P *out);
__global__ void index(R r, int i);
