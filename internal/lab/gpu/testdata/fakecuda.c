// A stand-in for libcuda.so.1, for tests of the code that calls it: it copies
// memory, and writes what it is told in place of running kernels. A process of its own is told by the environment.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t result;

static const char *fails;
static result code;
static int allocated, loaded;

// fakeFail makes calls of one function answer with a code; "" for none.
void fakeFail(const char *name, result with) {
	fails = strdup(name);
	code = with;
}

// fakeOpen is how many allocations and modules were not given back.
int fakeOpen(void) { return allocated + loaded; }

#define CHECK(name) do { if (fails && strcmp(fails, name) == 0) return code; } while (0)

result cuInit(uint32_t flags) { CHECK("cuInit"); return flags ? 1 : 0; }
result cuDriverGetVersion(int32_t *v) { CHECK("cuDriverGetVersion"); *v = 13020; return 0; }
result cuDeviceGetCount(int32_t *n) { CHECK("cuDeviceGetCount"); *n = 1; return 0; }
result cuDeviceGet(int32_t *d, int32_t i) { CHECK("cuDeviceGet"); *d = 7; return i; }
result cuDeviceGetName(char *s, int32_t n, int32_t d) { CHECK("cuDeviceGetName"); strncpy(s, "Fake", n); return d == 7 ? 0 : 1; }
result cuDeviceGetAttribute(int32_t *v, int32_t a, int32_t d) {
	CHECK("cuDeviceGetAttribute");
	*v = a == 75 ? 9 : a == 76 ? 0 : -1;
	return d == 7 ? 0 : 1;
}
result cuDevicePrimaryCtxRetain(void **c, int32_t d) { CHECK("cuDevicePrimaryCtxRetain"); *c = (void *)5; return d == 7 ? 0 : 1; }
result cuDevicePrimaryCtxRelease_v2(int32_t d) { CHECK("cuDevicePrimaryCtxRelease"); return d == 7 ? 0 : 1; }
result cuCtxSetCurrent(void *c) { CHECK("cuCtxSetCurrent"); return c == (void *)5 ? 0 : 1; }
result cuCtxSetLimit(int32_t limit, size_t n) { CHECK("cuCtxSetLimit"); return limit == 0 && n > 0 ? 0 : 1; }
result cuCtxSynchronize(void) { CHECK("cuCtxSynchronize"); return 0; }
result cuModuleLoadData(void **m, const void *image) {
	CHECK("cuModuleLoadData");
	if (memcmp(image, "\177ELF", 4)) return 200;
	*m = (void *)11;
	loaded++;
	return 0;
}
result cuModuleUnload(void *m) { CHECK("cuModuleUnload"); loaded--; return m == (void *)11 ? 0 : 1; }
result cuModuleGetFunction(void **f, void *m, const char *name) {
	CHECK("cuModuleGetFunction");
	*f = (void *)13;
	return m == (void *)11 && strcmp(name, "k") == 0 ? 0 : 500;
}
result cuMemAlloc_v2(uint64_t *p, size_t n) { CHECK("cuMemAlloc"); *p = (uint64_t)malloc(n); allocated++; return 0; }
result cuMemFree_v2(uint64_t p) { CHECK("cuMemFree"); free((void *)p); allocated--; return 0; }
result cuMemcpyHtoD_v2(uint64_t d, const void *s, size_t n) { CHECK("cuMemcpyHtoD"); memcpy((void *)d, s, n); return 0; }
result cuMemcpyDtoH_v2(void *d, uint64_t s, size_t n) { CHECK("cuMemcpyDtoH"); memcpy(d, (void *)s, n); return 0; }
result cuGetErrorName(result c, const char **s) {
	*s = "CUDA_ERROR_FAKE";
	return c == 999 ? 0 : 1;
}

static int count, sizes[64], offsets[64];

// fakeRecords says what a kernel with records does: it writes their bytes, one
// behind the other, to the address that is its first parameter.
void fakeRecords(int n, const int *size, const int *offset) {
	count = n;
	memcpy(sizes, size, n * sizeof *size);
	memcpy(offsets, offset, n * sizeof *offset);
}

static unsigned char answer[1 << 16], input[1 << 16];
static int answerLen, inputLen;

// fakeAnswer says what any other kernel writes, and how much it reads.
void fakeAnswer(const void *bytes, int n, int reads) {
	count = 0;
	memcpy(answer, bytes, n);
	answerLen = n;
	inputLen = reads;
}

// fakeInput is what it has read.
void fakeInput(void *bytes) { memcpy(bytes, input, inputLen); }

result cuLaunchKernel(void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
		uint32_t shared, void *stream, void **params, void **extra) {
	CHECK("cuLaunchKernel");
	if (f != (void *)13 || gx * gy * gz * bx * by * bz != 1 || shared || stream) return 1;
	if (!params == !extra) return 1;
	unsigned char *block = NULL;
	size_t size = 0;
	for (; extra && *extra; extra += 2) {
		if (*extra == (void *)1) block = extra[1];
		if (*extra == (void *)2) size = *(size_t *)extra[1];
	}
	uint64_t out;
	memcpy(&out, block ? block + offsets[0] : params[0], sizeof out);
	const char *copy = getenv("FAKECUDA_COPY");
	if (copy) { // a kernel that copies so many bytes, but for the one that FAKECUDA_LOSE names
		uint64_t in;
		if (!params) return 1;
		memcpy(&in, params[1], sizeof in);
		const char *lose = getenv("FAKECUDA_LOSE");
		for (int i = 0; i < atoi(copy); i++)
			if (!lose || i != atoi(lose)) ((unsigned char *)out)[i] = ((unsigned char *)in)[i];
		return 0;
	}
	if (!count) {
		if (inputLen) {
			uint64_t in;
			if (!params) return 1;
			memcpy(&in, params[1], sizeof in);
			memcpy(input, (void *)in, inputLen);
		}
		memcpy((void *)out, answer, answerLen);
		return 0;
	}
	unsigned char *to = (unsigned char *)out;
	for (int i = 1; i < count; i++) {
		if (block && offsets[i] + sizes[i] > (int)size) return 1;
		memcpy(to, block ? block + offsets[i] : params[i], sizes[i]);
		to += sizes[i];
	}
	return 0;
}
