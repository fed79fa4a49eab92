#include "driver.h"
#include <string.h>

unsigned char got[64];
size_t size;

int cuLaunchKernel(size_t n, const size_t *sizes, const size_t *offsets, void **kernelParams, void **extra) {
	void *buf = NULL;
	memset(got, 0, sizeof got);
	size = 0;
	if (kernelParams) {
		for (size_t i = 0; i < n; i++) {
			memcpy(got + offsets[i], kernelParams[i], sizes[i]);
			size = offsets[i] + sizes[i];
		}
		return 0;
	}
	for (; *extra; extra += 2) {
		if (*extra == (void *)1) buf = extra[1];
		if (*extra == (void *)2) size = *(size_t *)extra[1];
	}
	memcpy(got, buf, size);
	return 0;
}
