/* What libraries in C do with what libc and the kernel declare. */
#include <limits.h>
#include <stdint.h>
#include <stddef.h>

#ifndef __has_attribute
#define __has_attribute(x) 0
#endif
#if __has_attribute(packed)
#define PACKED __attribute__((packed))
#else
#define PACKED
#endif

#if UINT_MAX == 0xffffffff && ULONG_MAX > UINT_MAX
typedef unsigned long word;
#else
typedef unsigned char word;
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct node node;
struct node {
	node *virtual; /* a name in C */
	word bits[CHAR_BIT];
	int (*call)(struct other *o, void *u);
};

typedef struct {
	uint8_t kind;
	uint64_t value;
} PACKED after_t;

struct __attribute__((packed)) before {
	uint8_t kind;
	after_t inner;
	int16_t last[2];
};

#define FIELD(type, name) type name
#define PASTE(a, b) a##b
struct made {
	FIELD(after_t, PASTE(fir, st));
	char id[__COUNTER__ + 2], more[__COUNTER__ + 2];
	size_t n : 3, : 0;
	union { struct { int a, b; }; double d; };
};

typedef float _Float32;
struct named_floats { char c; _Float32 x, *p; };

#ifdef __cplusplus
}
#endif

extern int uses[sizeof(struct before) + sizeof(struct made) + sizeof(struct named_floats)];
