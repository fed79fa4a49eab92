/* Reads requests, one a line, and answers each in a line: see export_test.go. */
#define alloca no_field_is_called_alloca
#define PTXABI_IMPLEMENTATION
#include "ptxabi.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 64, MAX_ERRORS = 256 };

static int32_t number(void) {
	long n;
	if (scanf("%ld", &n) != 1) {
		exit(2);
	}
	return (int32_t)n;
}

static int32_t values(ptxabi_value *list) {
	int32_t i, n = number();
	for (i = 0; i < n; i++) {
		list[i].kind = (uint8_t)number();
		list[i].size = number();
		list[i].align = number();
	}
	return n;
}

static void places(const char *what, const ptxabi_place *list, int32_t n) {
	int32_t i;
	printf(" %s", what);
	for (i = 0; i < n; i++) {
		const ptxabi_place *p = &list[i];
		printf(" %d,%d,%d,%" PRId32 ",%" PRId32 ",%" PRId32 ",%" PRId32, p->where, p->reg, p->bank, p->off, p->size, p->align, ptxabi_words(p));
	}
}

static void set(const ptxabi_reg_set *s) {
	printf(" %016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64, s->w[3], s->w[2], s->w[1], s->w[0]);
}

static void row(const ptxabi_target *t) {
	const ptxabi_reg_file *f = &t->regs;
	printf("%s %d %s|%s|%s|%s %d", t->name, t->sm, t->suffix, t->generation, t->toolkits, t->assumed_from, t->multi.per_block);
	printf(" %d %d %d", t->passing.first, t->kernel.large_since.major, t->spelling.align_sp_table);
	printf(" %s|%s|%s|%d", t->spelling.call, t->spelling.load_const.b64, t->kernel.dispute, t->multi.blocks);
	set(&f->callee_saved);
	set(&f->uniform_disputed);
	set(&f->barrier_callee_saved);
	printf("\n");
}

static void assign(const ptxabi_target *t) {
	ptxabi_value params[MAX_VALUES], results[MAX_VALUES];
	ptxabi_place pp[MAX_VALUES], rp[MAX_VALUES];
	ptxabi_error errors[MAX_ERRORS];
	ptxabi_signature sig;
	ptxabi_assignment a;
	int i, n;
	sig.kind = (uint8_t)number();
	sig.preserve = number();
	sig.params = params;
	sig.param_count = values(params);
	sig.results = results;
	sig.result_count = values(results);
	a.params = pp;
	a.results = rp;
	n = ptxabi_assign(&sig, t, &a, errors, MAX_ERRORS);
	if (n != ptxabi_assign(&sig, t, &a, NULL, 0)) {
		exit(3);
	}
	for (i = 0; i < n; i++) {
		printf("error %" PRId32 ",%d,%d,%s ", errors[i].param, errors[i].is_result, errors[i].code, errors[i].reason);
	}
	if (n == 0) {
		printf("%d %" PRId32 " %d,%" PRId32 ",%" PRId32, a.sret, a.stack_bytes, a.block_bank, a.block_base, a.block_size);
		places("params", pp, sig.param_count);
		places("results", rp, sig.result_count);
	}
	printf("\n");
}

int main(void) {
	char what[32], name[64];
	while (scanf("%31s %63s", what, name) == 2) {
		const ptxabi_target *t;
		ptxabi_target assumed;
		int status;
		t = ptxabi_lookup(name, &status);
		if (strcmp(what, "row") == 0) {
			if (t == NULL && ptxabi_assume(name, &assumed)) {
				t = &assumed;
			}
			if (t == NULL) {
				printf("none %d\n", status);
			} else {
				printf("%d ", status);
				row(t);
			}
		} else if (strcmp(what, "flawed") == 0) { /* an empty signature on a row that is none */
			const ptxabi_signature sig = {PTXABI_FUNC, NULL, 0, NULL, 0, PTXABI_NO_PRESERVE};
			ptxabi_assignment a = {NULL, NULL, 0, 0, 0, 0, 0};
			ptxabi_error e;
			assumed = *t;
			assumed.passing.count = number();
			if (ptxabi_assign(&sig, NULL, &a, &e, 1) != 1 || e.code != PTXABI_BAD_TARGET) {
				return 3;
			}
			printf("%d\n", ptxabi_assign(&sig, &assumed, &a, &e, 1) == 1 ? e.code : 0);
		} else if (strcmp(what, "regs") == 0) {
			const ptxabi_reg_file f = ptxabi_regs_with(t, number());
			printf("%d", f.ret_addr);
			set(&f.callee_saved);
			set(&f.caller_saved);
			printf("\n");
		} else if (strcmp(what, "limits") == 0) {
			const int32_t threads = number(), blocks = number(), major = number(), minor = number();
			printf("%" PRId32 " %" PRId32 " %" PRId32 "\n", ptxabi_block_limit(t, threads),
				ptxabi_resident_limit(t, threads, blocks), ptxabi_max_kernel_params(t, major, minor));
		} else {
			assign(t);
		}
	}
	return 0;
}
