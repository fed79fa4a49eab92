// Functions inlined into each other and calls that are not, for debug information with its lines.

typedef struct { int x, y; } Point;
typedef struct { Point from, to; char name[8]; } Segment;
typedef int (*Metric)(Point, Point);

static inline int square(int x) { return x * x; }
static inline int distance(Point a, Point b) {
  int dx = square(a.x - b.x);
  int dy = square(a.y - b.y);
  return dx + dy;
}

Segment reverse(Segment);

__attribute__((noinline)) int manhattan(Point a, Point b) {
  int dx = a.x < b.x ? b.x - a.x : a.x - b.x;
  int dy = a.y < b.y ? b.y - a.y : a.y - b.y;
  return dx + dy;
}

__attribute__((noinline)) Segment shift(Segment s, Point by) {
  s.from.x += by.x;
  s.from.y += by.y;
  s.to.x += by.x;
  s.to.y += by.y;
  s.name[7] = 0;
  return s;
}

int measure(Segment s, Metric m, int n) {
  int total = 0;
  for (int i = 0; i < n; i++) {
    Point by = {i, square(i)};
    s = shift(s, by);
    total += distance(s.from, s.to);
    if (total & 1) s = reverse(s);
    total += m(s.from, s.to);
  }
  return total + manhattan(s.from, s.to);
}
