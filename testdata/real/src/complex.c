// Complex numbers by value.
#include "device.h"

#pragma omp declare target

DEVICE _Complex float awayFloat(_Complex float, int);
DEVICE _Complex double awayDouble(int, _Complex double);

DEVICE NOINLINE _Complex float square(_Complex float z) { return z * z + 1.0f; }
DEVICE NOINLINE _Complex double product(_Complex double a, char k, _Complex double b) { return k ? a * b : a; }
DEVICE NOINLINE float norm(_Complex float z) { return __real__ z * __real__ z + __imag__ z * __imag__ z; }

DEVICE NOINLINE int mandelbrot(_Complex float c, int limit) {
  _Complex float z = 0;
  int n = 0;
  while (n < limit && norm(z) < 4) {
    z = square(z) + c - 1.0f;
    n++;
  }
  return n;
}

DEVICE double run(_Complex float *p, _Complex double *q) {
  *p = awayFloat(square(*p), 3);
  *q = product(*q, 1, awayDouble(2, q[1]));
  return mandelbrot(*p, 100) + __real__ *q;
}

#pragma omp end declare target
