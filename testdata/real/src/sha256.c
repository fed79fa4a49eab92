// A hash function: a table in constant memory, records of eight words in and out, many rotations.
#include "device.h"

#pragma omp declare target

typedef struct { unsigned h[8]; } State;
typedef struct { unsigned w[16]; } Block;
typedef struct { unsigned char b[32]; } Digest;

static const unsigned k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline unsigned rotate(unsigned x, int n) { return (x >> n) | (x << (32 - n)); }

NOINLINE State compress(State s, Block m) {
  unsigned w[64];
  for (int i = 0; i < 16; i++) w[i] = m.w[i];
  for (int i = 16; i < 64; i++) {
    unsigned a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3);
    unsigned b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  State t = s;
  for (int i = 0; i < 64; i++) {
    unsigned e = t.h[4], a = t.h[0];
    unsigned t1 = t.h[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & t.h[5]) ^ (~e & t.h[6])) + k[i] + w[i];
    unsigned t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & t.h[1]) ^ (a & t.h[2]) ^ (t.h[1] & t.h[2]));
    for (int j = 7; j > 0; j--) t.h[j] = t.h[j - 1];
    t.h[4] += t1;
    t.h[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) s.h[i] += t.h[i];
  return s;
}

NOINLINE Block gather(const unsigned char *p, unsigned long long n, unsigned long long at) {
  Block b;
  for (int i = 0; i < 16; i++) {
    unsigned w = 0;
    for (int j = 0; j < 4; j++) {
      unsigned long long o = at + 4 * i + j;
      w = w << 8 | (o < n ? p[o] : o == n ? 0x80 : 0);
    }
    b.w[i] = w;
  }
  if (at + 64 >= n + 9) {
    b.w[14] = (unsigned)(n >> 29);
    b.w[15] = (unsigned)(n << 3);
  }
  return b;
}

NOINLINE Digest spread(State s) {
  Digest d;
  for (int i = 0; i < 32; i++) d.b[i] = (unsigned char)(s.h[i / 4] >> (24 - 8 * (i % 4)));
  return d;
}

Digest sha256(const unsigned char *p, unsigned long long n) {
  State s = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
  for (unsigned long long at = 0; at < n + 9; at += 64) s = compress(s, gather(p, n, at));
  return spread(s);
}

#pragma omp end declare target
