// A target region: the compiler makes a kernel of it, and calls its runtime.

typedef struct { double x, y; } Point;

#pragma omp declare target
__attribute__((noinline)) Point turn(Point p, double s, double c) {
  Point r = {p.x * c - p.y * s, p.x * s + p.y * c};
  return r;
}
#pragma omp end declare target

void rotate(Point *p, int n, double s, double c) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n])
  for (int i = 0; i < n; i++) p[i] = turn(p[i], s, c);
}

double sum(const double *p, int n) {
  double total = 0;
#pragma omp target teams distribute parallel for map(to : p[0 : n]) reduction(+ : total)
  for (int i = 0; i < n; i++) total += p[i];
  return total;
}
