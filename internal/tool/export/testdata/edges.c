#define PTXABI_IMPLEMENTATION
#include "ptxabi.h"
#include <limits.h>
#include <stdio.h>

/* Rows that a caller has changed, and signatures that are none: each is an error, and
 * the sanitizers have nothing to say. */
static int failed;

static void expect(int line, bool ok) {
	if (!ok) {
		printf("line %d\n", line);
		failed = 1;
	}
}

#define EXPECT(x) expect(__LINE__, x)

static int code(const ptxabi_signature *sig, const ptxabi_target *t, ptxabi_assignment *a) {
	ptxabi_error e;
	e.code = 0;
	return ptxabi_assign(sig, t, a, &e, 1) > 0 ? e.code : 0;
}

int main(void) {
	static const int32_t edges[] = {INT_MIN, -1, 0, 1, 3, 5, 65, 127, 128, 256, 1025, 1 << 20, INT_MAX - 127, INT_MAX};
	const size_t n = sizeof edges / sizeof edges[0];
	ptxabi_value values[40];
	ptxabi_place places[40], result[1];
	ptxabi_signature sig = {PTXABI_FUNC, values, 40, values, 1, PTXABI_NO_PRESERVE};
	ptxabi_assignment a;
	const ptxabi_target *own = ptxabi_lookup("sm_90", NULL);
	ptxabi_target t;
	size_t i, k, f;
	for (i = 0; i < 40; i++) {
		values[i].size = 16;
		values[i].align = 8;
		values[i].kind = PTXABI_DATA;
	}
	a.params = places;
	a.results = result;
	EXPECT(own != NULL);
	EXPECT(code(&sig, own, &a) == 0);
	EXPECT(code(NULL, own, &a) == PTXABI_BAD_COUNT);
	EXPECT(code(&sig, own, NULL) == PTXABI_BAD_COUNT);
	EXPECT(code(&sig, NULL, &a) == PTXABI_BAD_TARGET);
	a.params = NULL;
	EXPECT(code(&sig, own, &a) == PTXABI_BAD_COUNT);
	a.params = places;
	a.results = NULL;
	EXPECT(code(&sig, own, &a) == PTXABI_BAD_COUNT);
	a.results = result;
	sig.params = NULL;
	EXPECT(code(&sig, own, &a) == PTXABI_BAD_COUNT);
	sig.params = values;
	sig.param_count = -1;
	EXPECT(code(&sig, own, &a) == PTXABI_BAD_COUNT);
	sig.param_count = 40;
	sig.result_count = INT_MIN;
	EXPECT(code(&sig, own, &a) == PTXABI_BAD_COUNT);
	sig.result_count = 0;
	t = *own;
	t.kernel.dispute = NULL;
	EXPECT(code(&sig, &t, &a) == PTXABI_BAD_TARGET);
	t = *own;
	t.kernel.handle_dispute = NULL;
	EXPECT(code(&sig, &t, &a) == PTXABI_BAD_TARGET);
	for (f = 0; f < 17; f++) {
		for (i = 0; i < n; i++) {
			t = *own;
			switch (f) {
			case 0: t.passing.count = edges[i]; break;
			case 1: t.passing.max_align = edges[i]; break;
			case 2: t.passing.max_result = edges[i]; break;
			case 3: t.passing.max_local = edges[i]; break;
			case 4: t.passing.preserving.most = edges[i]; break;
			case 5: t.passing.preserving.budgets[0] = edges[i]; break;
			case 6: t.passing.preserving.spare = edges[i]; break;
			case 7: t.passing.preserving.top = edges[i]; break;
			case 8: t.kernel.param_base = edges[i]; break;
			case 9: t.kernel.max_params = edges[i]; break;
			case 10: t.kernel.large_params = edges[i]; break;
			case 11: t.kernel.large_base = edges[i]; break;
			case 12: t.kernel.handle_align = edges[i]; break;
			case 13: t.multi.per_block = edges[i]; break;
			case 14: t.multi.registers = edges[i]; break;
			case 15: t.multi.threads = edges[i]; break;
			default: t.multi.blocks = edges[i]; break;
			}
			for (k = 0; k < n; k++) {
				sig.kind = PTXABI_FUNC;
				sig.preserve = edges[k];
				(void)code(&sig, &t, &a);
				sig.preserve = PTXABI_NO_PRESERVE;
				(void)code(&sig, &t, &a);
				sig.kind = PTXABI_ENTRY;
				(void)code(&sig, &t, &a);
				(void)ptxabi_regs_with(&t, edges[k]);
				(void)ptxabi_block_limit(&t, edges[k]);
				EXPECT(ptxabi_resident_limit(&t, edges[k], edges[n - 1 - k]) >= 0);
				EXPECT(ptxabi_resident_limit(&t, edges[k], edges[k]) >= 0);
				(void)ptxabi_max_kernel_params(&t, edges[k], edges[k]);
			}
		}
	}
	return failed;
}
