// Variables of every space, with initialisers: numbers, strings, arrays, addresses of variables and functions.
#include "device.h"

typedef int (*Op)(int);
struct Entry {
  const char *name;
  Op op;
  short weight;
  float factor;
};
struct Node {
  Node *next;
  int value;
};

DEVICE NOINLINE int increment(int x) { return x + 1; }
DEVICE NOINLINE int twice(int x) { return 2 * x; }
extern "C" GLOBAL int elsewhere[];

CONSTANT float weights[4] = {0.5f, -1.0f, 3.14159274f, 1e30f};
CONSTANT double precise = 2.718281828459045;
CONSTANT unsigned char bytes[7] = {1, 2, 3, 255};
GLOBAL int counter;
GLOBAL long long big[3] = {1LL << 40, -1};
GLOBAL short shorts[2][3] = {{1, 2, 3}, {4, 5, 6}};
GLOBAL int *pointer = &counter;
GLOBAL short *inside = &shorts[1][1];
GLOBAL char text[] = "tab\tquote\"end";
GLOBAL const char *message = "hello, \\ world";
GLOBAL Op operation = twice;
GLOBAL Entry table[2] = {{"inc", increment, 3, 0.25f}, {"twice", twice, -4, 8.0f}};
GLOBAL Node last = {0, 2};
GLOBAL Node first = {&last, 1};
GLOBAL bool flag = true;
GLOBAL void *nothing = 0;
static GLOBAL int hidden = 77;
static CONSTANT int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};

KERNEL run(int i, float *out, const char **names) {
  SHARED static int tile[64];
  SHARED static double slot;
  tile[THREAD & 63] = i;
  if (THREAD == 0) slot = precise;
  BARRIER;
  Entry e = table[i & 1];
  counter += e.op(tile[i & 63]) + operation(*pointer) + *inside + elsewhere[i];
  names[0] = e.name;
  names[1] = message;
  out[0] = weights[i & 3] * e.factor + bytes[i % 7] + (float)slot + text[i] + (float)big[i % 3];
  out[1] = first.next->value + (flag ? hidden : squares[i & 7]) + (nothing ? 1 : e.weight);
}

extern SHARED float dynamic[];
KERNEL dynamicShared(float *p, int n) {
  dynamic[THREAD] = p[THREAD];
  BARRIER;
  p[THREAD] = dynamic[n - 1 - THREAD];
}
