#include <cstring>
namespace source {
#include "bases.cu"
}
#include "bases.h"
template <class S, class H, class F> int differ(F set) {
	S s; H h;
	memset((void *)&s, 0, sizeof s); memset((void *)&h, 0, sizeof h);
	set(s); set(h);
	return sizeof s != sizeof h || memcmp((void *)&s, (void *)&h, sizeof s);
}
#define DIFFER(T, f) differ<source::T, T>([](auto &x) { x.f = -1; })
int main() { return DIFFER(E, a) || DIFFER(E, c) || DIFFER(E, b) || DIFFER(E, z) || DIFFER(E, w) || DIFFER(E, tail) || DIFFER(E, s) || DIFFER(E, t) || DIFFER(M, q) || DIFFER(M, r); }
