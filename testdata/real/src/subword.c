// Arguments and results below 32 bits, signed and unsigned: who extends, and from what.
#include "device.h"

#pragma omp declare target

DEVICE signed char awaySigned(signed char, unsigned char, short, unsigned short, bool);
DEVICE unsigned char awayUnsigned(unsigned char);
DEVICE bool awayBool(bool, bool);
DEVICE short awayShort(void);

DEVICE NOINLINE signed char s8(signed char a, signed char b) { return (signed char)(a * b); }
DEVICE NOINLINE unsigned char u8(unsigned char a, unsigned char b) { return (unsigned char)(a + b); }
DEVICE NOINLINE short s16(short a, signed char b) { return (short)(a - b); }
DEVICE NOINLINE unsigned short u16(unsigned short a, unsigned short b) { return (unsigned short)(a >> (b & 7)); }
DEVICE NOINLINE bool b1(bool a, int b) { return a != (b > 3); }
DEVICE NOINLINE char mixed(char c, short s, bool b, int i, unsigned char u, long long l) {
  return (char)(b ? c + s + u : i + (int)l);
}

DEVICE int run(int x, signed char *p, short (*fp)(short, char)) {
  int r = s8(p[0], (signed char)x) + u8((unsigned char)x, 250) + s16((short)x, p[1]);
  r += u16((unsigned short)x, 3) + b1(x & 1, x) + mixed(p[2], (short)x, x > 5, x, 7, x);
  r += awaySigned(p[0], (unsigned char)p[1], (short)x, (unsigned short)x, x == 9);
  r += awayUnsigned((unsigned char)x) + awayBool(x, !x) + awayShort() + fp((short)x, p[3]);
  return r;
}

#pragma omp end declare target
