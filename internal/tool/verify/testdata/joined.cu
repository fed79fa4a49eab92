struct S { int a; float b; int c; float d; double e; long f; };
__global__ void used(S s, float *o, int *p) { o[0] = s.b + s.d; p[0] = s.a + s.c; o[1] = s.e; p[1] = s.f; }
__global__ void stored(S s, float *o, int *p) { o[0] = s.b; p[0] = s.a; }
__global__ void copied(S s, S *o) { *o = s; }
