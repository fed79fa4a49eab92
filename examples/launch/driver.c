/* A driver that stands in where there is no GPU: a launch prints the bytes that a driver would copy, by what the
 * kernel of the cubin records. For programs that load libcuda.so.1, such as cuda-python:
 *
 *     ptxabi export -lang c -reader -o ptxabi_cubin.h
 *     cc -shared -fPIC -o libcuda.so.1 driver.c -ldl
 *
 * It has one device, context and module, and runs nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PTXABI_CUBIN_IMPLEMENTATION
#include "ptxabi_cubin.h"

enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_IMAGE = 200, NOT_FOUND = 500 };

static ptxabi_cubin cubin;
static ptxabi_cubin_kernel kernel;
static int context, module;

int cuInit(unsigned flags) { return flags ? INVALID_VALUE : SUCCESS; }
int cuDriverGetVersion(int *version) { return *version = 13050, SUCCESS; }
int cuDeviceGetCount(int *count) { return *count = 1, SUCCESS; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, ordinal ? INVALID_VALUE : SUCCESS; }
int cuDevicePrimaryCtxRetain(void **c, int device) { return *c = &context, device ? INVALID_VALUE : SUCCESS; }
int cuCtxSetCurrent(void *c) { return c == &context ? SUCCESS : INVALID_VALUE; }
int cuCtxSynchronize(void) { return SUCCESS; }
int cuModuleUnload(void *m) { return m == &module ? SUCCESS : INVALID_VALUE; }

/* Loads an image whose size its section table says; the file ends there. */
static int load(void **m, const unsigned char *image, uint64_t size) {
	if (size == 0) {
		uint64_t at;
		if (memcmp(image, "\177ELF", 4) != 0)
			return INVALID_IMAGE;
		memcpy(&at, image + 40, 8);
		size = at + (uint64_t)(image[58] | image[59] << 8) * (image[60] | image[61] << 8);
		memcpy(&at, image + 32, 8); /* some end with the program headers */
		at += (uint64_t)(image[54] | image[55] << 8) * (image[56] | image[57] << 8);
		size = size > at ? size : at;
	}
	unsigned char *copy = malloc(size);
	memcpy(copy, image, size);
	*m = &module;
	return ptxabi_cubin_open(&cubin, copy, size) == 0 ? SUCCESS : INVALID_IMAGE;
}

int cuModuleLoadData(void **m, const void *image) { return load(m, image, 0); }

int cuModuleLoad(void **m, const char *name) {
	static unsigned char data[1 << 20];
	FILE *f = fopen(name, "rb");
	size_t n = f ? fread(data, 1, sizeof data, f) : 0;
	if (f)
		fclose(f);
	return n ? load(m, data, n) : INVALID_IMAGE;
}

int cuModuleGetFunction(void **f, void *m, const char *name) {
	*f = &kernel;
	return m == &module && ptxabi_cubin_find(&cubin, name, &kernel) == 1 ? SUCCESS : NOT_FOUND;
}

int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
		void *stream, void **params, void **extra) {
	ptxabi_cubin_param list[256];
	unsigned char block[4096] = {0};
	if (f != &kernel || kernel.size > (int)sizeof block || ptxabi_cubin_params(&cubin, &kernel, list, 256) != 0)
		return INVALID_VALUE;
	for (int i = 0; params && i < kernel.params; i++)
		memcpy(block + list[i].offset, params[i], list[i].size);
	for (; !params && extra && *extra; extra += 2)
		if (*extra == (void *)1) /* CU_LAUNCH_PARAM_BUFFER_POINTER */
			memcpy(block, extra[1], kernel.size);
	printf("launch of %.*s, grid %u %u %u, block %u %u %u, %u bytes shared, stream %p:", (int)kernel.name_size, kernel.name,
		gx, gy, gz, bx, by, bz, shared, stream);
	for (int i = 0; i < kernel.size; i++)
		printf("%s%02x", i % 4 ? "" : " ", block[i]);
	printf("\n");
	return fflush(stdout) ? INVALID_VALUE : SUCCESS;
}

int cuGetProcAddress_v2(const char *name, void **f, int version, uint64_t flags, int *status) {
	char versioned[128];
	snprintf(versioned, sizeof versioned, "%s_v2", name);
	if (!(*f = dlsym(RTLD_DEFAULT, name)))
		*f = dlsym(RTLD_DEFAULT, versioned);
	if (status)
		*status = *f ? 0 : 1;
	return (version && !flags) || *f ? SUCCESS : NOT_FOUND;
}
