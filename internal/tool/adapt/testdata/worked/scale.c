#include "scale.h"

struct V3 scale(struct V3 v, signed char s) {
	struct V3 r = {v.x * s, v.y * s, v.z * s};
	return r;
}
