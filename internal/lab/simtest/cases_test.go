package simtest

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

//go:embed testdata/text/caseHead.ptx
var caseHead string

// calledCases are bodies of kernels whose parameter accesses do not stand where
// ptxas expects them: it accepts most of them and miscompiles them. They are
// lowered to what the PTX says.
var calledCases = []struct {
	name    string
	defined int // bytes observed, callees included, whichever way branches go
	body    string
}{
	{"the arms of a branch store different values", 8, `
	@%p0 bra ELSE;
	st.param.b32 [a], %r1;
	bra END;
ELSE:
	st.param.b32 [a], %r2;
END:
	call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"one arm stores", 8, `
	st.param.b32 [a], %r1;
	@%p0 bra END;
	st.param.b32 [a], %r2;
END:
	call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"one store feeds two calls", 16, `
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
	call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"one store feeds two calls through the stack", 64, `
	st.param.b64 [big], %rd1;
	st.param.b64 [big+56], %rd2;
	call (big2), large, (big);
	ld.param.b64 %rd3, [big2];
	st.volatile.global.b64 [out], %rd3;
	call (big2), large, (big);
	ld.param.b64 %rd4, [big2];
	ld.param.b64 %rd5, [big2+56];
	st.volatile.global.b64 [out], %rd4;
	st.volatile.global.b64 [out+8], %rd5;
	st.volatile.global.b64 [out+16], %rd3;
`},
	{"a result is read after the stores of another call", 16, `
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	st.param.b32 [c], %r2;
	ld.param.b32 %r3, [b];
	call (a), echo, (c);
	ld.param.b32 %r4, [a];
	st.volatile.global.b32 [out], %r3;
	st.volatile.global.b32 [out+8], %r4;
`},
	{"a result is read after another call", 16, `
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	call (c), echo, (a);
	ld.param.b32 %r3, [b];
	ld.param.b32 %r4, [c];
	st.volatile.global.b32 [out], %r3;
	st.volatile.global.b32 [out+8], %r4;
`},
	{"a large result is read after another call", 64, `
	st.param.b64 [big], %rd1;
	st.param.b64 [big+56], %rd2;
	call (big2), large, (big);
	call (big), large, (big2);
	ld.param.b64 %rd3, [big2];
	ld.param.b64 %rd4, [big];
	ld.param.b64 %rd5, [big+56];
	st.volatile.global.b64 [out], %rd3;
	st.volatile.global.b64 [out+8], %rd4;
	st.volatile.global.b64 [out+16], %rd5;
	st.volatile.global.b64 [out+16], %rd5;
`},
	{"a store stands between two calls", 12, `
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	st.param.b32 [a], %r2;
	call (c), echo, (a);
	ld.param.b32 %r3, [c];
	st.volatile.global.b32 [out], %r3;
`},
	{"a store stands after the call", 8, `
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	st.param.b32 [a], %r2;
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"a store stands before a loop of calls", 28, `
	st.param.b32 [a], %r1;
	mov.b32 %r5, 3;
LOOP:
	call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
	add.s32 %r5, %r5, -1;
	setp.ne.u32 %p1, %r5, 0;
	@%p1 bra LOOP;
	st.volatile.global.b32 [out], %r3;
`},
	{"a loop passes on what it got", 28, `
	st.param.b32 [a], %r1;
	mov.b32 %r5, 3;
LOOP:
	call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
	st.param.b32 [a], %r3;
	add.s32 %r5, %r5, -1;
	setp.ne.u32 %p1, %r5, 0;
	@%p1 bra LOOP;
	st.volatile.global.b32 [out], %r3;
`},
	{"a result is the next argument", 16, `
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	call (c), echo, (b);
	ld.param.b32 %r3, [c];
	ld.param.b32 %r4, [b];
	st.volatile.global.b32 [out], %r3;
	st.volatile.global.b32 [out], %r4;
`},
	{"one variable is argument and result", 8, `
	st.param.b32 [a], %r1;
	call (a), echo, (a);
	ld.param.b32 %r3, [a];
	st.volatile.global.b32 [out], %r3;
`},
	{"one large variable is argument and result", 32, `
	st.param.b64 [big], %rd1;
	st.param.b64 [big+56], %rd2;
	call (big), large, (big);
	ld.param.b64 %rd3, [big];
	ld.param.b64 %rd4, [big+56];
	st.volatile.global.b64 [out], %rd3;
	st.volatile.global.b64 [out], %rd4;
`},
	{"the register changes between store and call", 8, `
	st.param.b32 [a], %r1;
	ld.volatile.global.b32 %r1, [in+32];
	call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"the register changes between store and call, by a call", 12, `
	st.param.b32 [c], %r1;
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	ld.param.b32 %r1, [b];
	st.volatile.global.b32 [out], %r1;
	call (_), echo, (c);
`},
	{"calls stand in the arms of a branch", 8, `
	@%p0 bra ELSE;
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	bra END;
ELSE:
	st.param.b32 [a], %r2;
	call (b), echo, (a);
END:
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"a guarded call leaves the older result", 0, `
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	st.param.b32 [c], %r2;
	@%p0 call (b), echo, (c);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"guards choose between stores", 8, `
	st.param.b32 [a], %r1;
	@%p0 st.param.b32 [a], %r2;
	call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"guards choose between stores to the stack", 24, `
	@%p0 st.param.b64 [big], %rd1;
	@!%p0 st.param.b64 [big], %rd2;
	st.param.b64 [big+56], %rd2;
	call (big2), large, (big);
	ld.param.b64 %rd3, [big2];
	st.volatile.global.b64 [out], %rd3;
`},
	{"guards choose between calls", 8, `
	st.param.b32 [a], %r1;
	@%p0 call (b), echo, (a);
	@!%p0 call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"a guarded call leaves the older large result", 0, `
	st.param.b64 [big], %rd1;
	st.param.b64 [big+56], %rd2;
	call (big2), large, (big);
	@%p0 call (big2), large, (big);
	ld.param.b64 %rd3, [big2];
	st.volatile.global.b64 [out], %rd3;
`},
	{"parts of an argument change between calls", 40, `
	st.param.b64 [big], %rd1;
	st.param.b64 [big+56], %rd2;
	call (big2), large, (big);
	st.param.b32 [big+4], %r2;
	st.param.b8 [big+57], %r1;
	call (big2), large, (big);
	ld.param.b64 %rd3, [big2];
	st.volatile.global.b64 [out], %rd3;
`},
	{"a call or a store makes the value", 0, `
	st.param.b32 [a], %r1;
	@%p0 bra SKIP;
	call (b), echo, (a);
	bra JOIN;
SKIP:
	st.param.b32 [b], %r2;
JOIN:
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"words are loaded back that were stored to an argument", 12, `
	st.param.b32 [a], %r1;
	ld.param.b32 %r4, [a];
	call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
	st.volatile.global.b32 [out], %r4;
`},
	{"a branch leaves the block between call and load", 8, `
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	bra NEXT;
NEXT:
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`},
	{"two swap their places on the way", 24, `
	st.param.b32 [a], %r1;
	call (b), echo, (a);
	st.param.b32 [a], %r2;
	call (c), echo, (a);
	ld.param.b32 %r3, [c];
	ld.param.b32 %r4, [b];
	st.param.b32 [b], %r3;
	st.param.b32 [c], %r4;
	call (a), echo, (b);
	ld.param.b32 %r5, [a];
	ld.param.b32 %r6, [c];
	st.volatile.global.b32 [out], %r5;
	st.volatile.global.b32 [out], %r6;
	st.volatile.global.b32 [out], %r3;
`},
}

func TestCallsAreExecutedAsWritten(t *testing.T) {
	for _, c := range calledCases {
		t.Run(c.name, func(t *testing.T) {
			mod := must.Parse(t, "case.ptx", []byte(caseHead+c.body+"\tret;\n}\n"))
			for _, target := range distinctTargets() {
				for seed := uint32(1); seed <= effort.Of[uint32](1, 4); seed++ {
					n, err := runModule(mod, target, seed, nil, nil)
					if !assert.NoError(t, err, "%s, seed %d", target.Name, seed) {
						continue
					}
					if c.defined != 0 {
						assert.Equal(t, c.defined, n.defined, "%s, seed %d: bytes observed", target.Name, seed)
					}
					assert.Equal(t, n.observed, n.defined, "%s, seed %d: undefined bytes are observed", target.Name, seed)
					more, err := runModule(mod, target, seed, &randomHomes{t: target, seed: uint64(seed)}, nil)
					assert.NoError(t, err, "%s with homes, seed %d", target.Name, seed)
					assert.Equal(t, n, more, "%s with homes, seed %d", target.Name, seed)
				}
			}
		})
	}
}

// TestGuardedAlloca allocates memory under a guard, between calls.
func TestGuardedAlloca(t *testing.T) {
	const body = `
	st.param.b32 [a], %r1;
	@%p0 alloca.u64 %rd3, 24, 32;
	@!%p0 bra SKIP;
	st.local.b64 [%rd3+16], %rd1;
	call (b), echo, (a);
	ld.local.b64 %rd4, [%rd3+16];
	st.volatile.global.b64 [out], %rd4;
SKIP:
	call (b), echo, (a);
	ld.param.b32 %r3, [b];
	st.volatile.global.b32 [out], %r3;
`
	mod := must.Parse(t, "alloca.ptx", []byte(strings.Replace(caseHead, "sm_35", "sm_52", 1)+body+"\tret;\n}\n"))
	for _, target := range distinctTargets() {
		if target.SM < 52 {
			continue
		}
		most, least := 0, 1000
		for seed := uint32(1); seed <= 8; seed++ {
			n, err := runModule(mod, target, seed, nil, nil)
			require.NoError(t, err, "%s, seed %d", target.Name, seed)
			assert.Equal(t, n.observed, n.defined)
			most, least = max(most, n.observed), min(least, n.observed)
		}
		assert.Equal(t, []int{8, 20}, []int{least, most}, "%s: the guard was true at times and false at others", target.Name)
	}
}
