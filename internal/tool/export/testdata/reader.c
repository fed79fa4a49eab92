/* Reads cubins, each after a line with its size, and prints what their kernels take. With FUZZ it is a target
 * of libFuzzer. */
#define PTXABI_CUBIN_IMPLEMENTATION
#include "ptxabi_cubin.h"

#include <stdio.h>
#include <stdlib.h>

static void print(const unsigned char *data, size_t size, FILE *to) {
	static ptxabi_cubin_param p[0x10000];
	ptxabi_cubin c;
	ptxabi_cubin_kernel k = PTXABI_CUBIN_FIRST, again;
	int status = ptxabi_cubin_open(&c, data, size), i;
	if (status == 0) {
		fprintf(to, "sm %u\n", (unsigned)c.sm);
	}
	while (status == 0 && (status = ptxabi_cubin_next(&c, &k)) > 0) {
		fprintf(to, "%.*s %d %d %d", (int)k.name_size, k.name, k.bank, k.base, k.size);
		status = k.params > 0 && ptxabi_cubin_params(&c, &k, p, k.params - 1) != PTXABI_CUBIN_ROOM ? -9 : ptxabi_cubin_params(&c, &k, p, 0x10000);
		for (i = 0; status == 0 && i < k.params; i++) {
			fprintf(to, " %d,%d,%u,%u", p[i].offset, p[i].size, (unsigned)p[i].pointee_align, (unsigned)p[i].space);
		}
		fprintf(to, "\n");
	}
	if (status < 0) {
		fprintf(to, "error %s at 0x%llx\n", ptxabi_cubin_message(status), (unsigned long long)c.at);
	} else if (ptxabi_cubin_find(&c, "no such kernel", &again) != 0) {
		fprintf(to, "a kernel that is none was found\n");
	}
	fprintf(to, ".\n");
}

#ifdef FUZZ
#ifdef __cplusplus
extern "C"
#endif
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
	static FILE *null;
	if (null == NULL && (null = fopen("/dev/null", "w")) == NULL) {
		abort();
	}
	print(data, size, null);
	return 0;
}
#else
int main(void) {
	char line[32];
	while (fgets(line, sizeof line, stdin) != NULL) {
		size_t size = (size_t)strtoull(line, NULL, 10);
		unsigned char *data = (unsigned char *)malloc(size); /* of that size, for the sanitizer */
		if (data == NULL || fread(data, 1, size, stdin) != size) {
			return 1;
		}
		print(data, size, stdout);
		free(data);
	}
	return 0;
}
#endif
