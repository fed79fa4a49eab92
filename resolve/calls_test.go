package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// TestCalls lists the calls of a body: of functions, aliases, through prototypes, lists and
// tables, with variadic tails, in blocks that hide names, and such that do not fit.
func TestCalls(t *testing.T) {
	m := parsed(`.version 8.0
.target sm_80
.func (.param .b32 r) f (.param .b32 x, .param .align 8 .b8 y[12]) { ret; }
.extern .func v (.param .b64 x, .param .align 8 .b8 rest[]);
.func g () { ret; }
.alias a, g;
.func a ();
.global .u64 table[2] = {g, g};
.entry k () { exit; }
.func caller (.reg .b64 %p)
{
	.reg .b32 %r<4>;
	{
		.param .b32 x, r;
		.param .align 8 .b8 y[12];
		.param .align 8 .b8 rest[24];
		.param .b64 n;
		proto: .callprototype (.param .b64 _) _ (.param .b32 _);
		list: .calltargets g;
		call (r), f, (x, y);
		call (r), f, (7, y);
		call v, (n, rest);
		call v, (n);
		call (n), %p, (x), proto;
		call %p, list;
		call %p, table;
		call a;
		call (r), f, (x, rest);
		call f, (x);
		call missing;
		call k;
	}
	ret;
}
`)
	var b strings.Builder
	for _, c := range resolve.NewTable(m).Calls(m.Items[9].(*ptx.Func)) {
		name := "?"
		if c.Callee != nil {
			name = c.Callee.Name
		}
		fmt.Fprintf(&b, "%s: %v", name, c.Signature)
		if c.Err != nil {
			fmt.Fprintf(&b, "; %v", strings.ReplaceAll(c.Err.Error(), "\n", "; "))
		}
		b.WriteByte('\n')
	}
	assert.Equal(t, `f: func(4@4, 12@8) -> 4@4
f: func(4@4, 12@8) -> 4@4
v: func(8@8, [24]@8)
v: func(8@8, []@8)
proto: func(4@4) -> 8@8
g: func()
g: func()
g: func()
f: func(); argument 1 has 24 bytes, y of f has 12
f: func(); 1 argument for f, which takes 2
?: func(); what missing calls is not declared
k: func(); k is a kernel, which cannot be called
`, b.String())
}
