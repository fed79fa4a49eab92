#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef struct { float x, y, z, w; } __attribute__((aligned(16))) float4;
typedef struct { float x, y, z; } float3;
typedef struct { int x, y; } __attribute__((aligned(8))) int2;
typedef struct { double x, y; } __attribute__((aligned(16))) double2;
typedef struct { unsigned char x, y, z, w; } __attribute__((aligned(4))) uchar4;
typedef struct { short x, y, z, w; } __attribute__((aligned(8))) short4;
#include "../h/structs.h"
static void print(const void *p, size_t n) {
	const unsigned char *b = p;
	for (size_t i = 0; i < n; i++) printf("%02x", b[i]);
	printf("\n");
}
