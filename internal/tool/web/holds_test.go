package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// TestHolds links the bytes of what is passed to the fields of C that they are, and
// says which rules put them there.
func TestHolds(t *testing.T) {
	r := web.Answer(web.Request{Lang: "c++", Target: "sm_90", Text: `struct P { int x; short y; unsigned b : 3, c : 13; double z; };
__device__ P f(char k, P p);
__global__ void step(float *out, P p);
`})
	require.Empty(t, r.Refused)
	require.False(t, r.Broken)
	var b strings.Builder
	names := map[string]string{}
	for _, v := range r.Values {
		names[v.ID] = v.Of + "." + v.Name
		for _, rule := range v.Rules {
			fmt.Fprintf(&b, "%s %s at %s by %s\n", v.ID, names[v.ID], v.Where, rule.Name)
		}
	}
	for _, h := range r.Holds {
		fmt.Fprintf(&b, "%s %s[%d:%d] is %s\n", h.ID, names[h.ID], h.First, h.End, names[h.Of])
	}
	assert.Equal(t, `k0.p0.f0 step.out at c[0x0][0x210] by K3
k0.p0.f0 step.out at c[0x0][0x210] by K1
k0.p0.f0 step.out at c[0x0][0x210] by K2
k0.p1.f0 step.p.x at c[0x0][0x218] by K3
k0.p1.f0 step.p.x at c[0x0][0x218] by K1
k0.p1.f0 step.p.x at c[0x0][0x218] by K2
k0.p1.f0 step.p.x at c[0x0][0x218] by K4
k0.p1.f1 step.p.y at c[0x0][0x21c] by K3
k0.p1.f1 step.p.y at c[0x0][0x21c] by K1
k0.p1.f1 step.p.y at c[0x0][0x21c] by K2
k0.p1.f1 step.p.y at c[0x0][0x21c] by K4
k0.p1.f2 step.p.b at c[0x0][0x21e], bit 0 by K3
k0.p1.f2 step.p.b at c[0x0][0x21e], bit 0 by K1
k0.p1.f2 step.p.b at c[0x0][0x21e], bit 0 by K2
k0.p1.f2 step.p.b at c[0x0][0x21e], bit 0 by K4
k0.p1.f3 step.p.c at c[0x0][0x21e], bit 3 by K3
k0.p1.f3 step.p.c at c[0x0][0x21e], bit 3 by K1
k0.p1.f3 step.p.c at c[0x0][0x21e], bit 3 by K2
k0.p1.f3 step.p.c at c[0x0][0x21e], bit 3 by K4
k0.p1.f4 step.p.z at c[0x0][0x220] by K3
k0.p1.f4 step.p.z at c[0x0][0x220] by K1
k0.p1.f4 step.p.z at c[0x0][0x220] by K2
k0.p1.f4 step.p.z at c[0x0][0x220] by K4
f0.p0 f.k at R4 by F5
f0.p0 f.k at R4 by F2
f0.p0 f.k at R4 by F4
f0.p1 f.p at R6:R9 by F5
f0.p1 f.p at R6:R9 by F4
f0.r0 f.result at R4:R7 by F3
k0.p1.f0 step.p.x[0:4] is P.x
k0.p1.f1 step.p.y[0:2] is P.y
k0.p1.f2 step.p.b[0:1] is P.b
k0.p1.f3 step.p.c[0:2] is P.c
k0.p1.f4 step.p.z[0:8] is P.z
f0.p1 f.p[0:4] is P.x
f0.p1 f.p[4:6] is P.y
f0.p1 f.p[6:7] is P.b
f0.p1 f.p[6:8] is P.c
f0.p1 f.p[8:16] is P.z
f0.r0 f.result[0:4] is P.x
f0.r0 f.result[4:6] is P.y
f0.r0 f.result[6:7] is P.b
f0.r0 f.result[6:8] is P.c
f0.r0 f.result[8:16] is P.z
`, b.String())
}
