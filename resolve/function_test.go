package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Each function once, in source order, aliases where they are declared and prototypes
// where they stand.
func TestFunctions(t *testing.T) {
	m := parse(t, `.version 7.8
.target sm_80
.extern .func e(.param .b32 a);
.func f(.param .b32 b);
.func h(.param .b32 c);
.func f(.param .b32 b) {
	.func inner(.param .b64 x);
	P: .callprototype (.param .b32 _) _ (.param .b64 _);
	ret;
}
.alias h, f;
.entry k() { exit; }
`)
	var got []string
	for _, f := range resolve.Functions(m) {
		of := ""
		if f.Aliasee != nil {
			of = " of " + f.Aliasee.Name
		}
		got = append(got, fmt.Sprintf("%s %s%s %s", f.Pos, f.Kind(), of, f.Name))
	}
	assert.Equal(t, []string{"3:1 func e", "5:1 func of f h", "6:1 func f", "7:2 func inner", "8:2 prototype P", "12:1 entry k"}, got)

	n := 0
	for range resolve.NewTable(m).Functions() {
		if n++; n == 3 {
			break
		}
	}
	assert.Equal(t, 3, n)
}

// What a call may pass to what it calls, and what of it has which place.
func TestCall(t *testing.T) {
	row := must.Target(t, "sm_80")
	for _, tt := range []struct{ head, args, want string }{
		{".func f(.param .b32 a)", "4@4", "func(4@4): R4"},
		{".func (.param .b64 r) f()", "", "func() -> 8@8: () -> R4:R5"},
		{".func f(.param .b32 a, .param .align 8 .b8 t[])", "4@4, 24@8", "func(4@4, [24]@8): R4 | [R1+0x0]; stack 24"},
		{".func f(.param .b32 a, .param .align 8 .b8 t[])", "4@4, 3@1", "func(4@4, [3]@8): R4 | [R1+0x0]; stack 4"},
		{".func f(.param .b32 a, .param .align 8 .b8 t[])", "4@4", "func(4@4, []@8): R4 | [R1+0x0]"},
		{".func f(.param .b32 a, .param .align 8 .b8 t[])", "4@4, []@8", "func(4@4, []@8): R4 | [R1+0x0]"},
		{".func f(.param .b32 a)", "4@1", "func(4@4): R4"}, // the callee's alignment counts
		{".func f(.param .b32 a)", "", "0 arguments for f, which takes 1"},
		{".func f()", "4@4, 4@4", "2 arguments for f, which takes 0"},
		{".func f(.param .b32 a, .param .b64 b)", "8@8, 1@1", "argument 0 has 8 bytes, a of f has 4\nargument 1 has 1 byte, b of f has 8"},
		{".func f(.param .b32 a)", "[]@4", "argument 0 is unsized, a of f is data"},
		{".entry k()", "", "k is a kernel, which cannot be called"},
	} {
		m := parse(t, tt.head+" { ret; }")
		args, err := abi.ParseSignature("func(" + tt.args + ")")
		require.NoError(t, err)
		got := ""
		if s, err := resolve.NewFunction(m, m.Items[0].(*ptx.Func)).Call(args.Params...); err != nil {
			got = err.Error()
		} else {
			places, err := abi.Assign(s, row)
			require.NoError(t, err)
			got = s.String() + ": " + places.String()
		}
		assert.Equal(t, tt.want, got, tt.head+" "+tt.args)
	}
	f := resolve.NewFunction(nil, parse(t, ".func f(.param .b32 a, .param .b8 t[]) { ret; }").Items[0].(*ptx.Func))
	_, err := f.Call(abi.Value{Size: 4, Align: 4}, abi.Value{Size: -7, Align: 1})
	assert.EqualError(t, err, "argument 1 has -7 bytes, less than none")
}

// A prototype has the places of what it stands for.
func TestPrototype(t *testing.T) {
	row := must.Target(t, "sm_90")
	m := parse(t, ".version 9.0\n.func f() { P: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[64]) .abi_preserve 4; ret; }")
	p := m.Items[1].(*ptx.Func).Body[0].(*ptx.Prototype)
	f := resolve.NewPrototype(m, p)
	assert.Equal(t, "func(64@8) -> 4@4; preserve 4", f.Signature().String())
	a, diags := f.Assign(row)
	assert.Empty(t, diags)
	assert.Equal(t, "R20:R35 -> R20", a.String())
}

// A kernel's parameters fit the module's own target, whichever target they are placed on: so it is with ptxas -arch.
func TestAssignLargeBlock(t *testing.T) {
	const refused = "t.ptx:3:30: error: x of k: ends at byte 5000 of the parameter block, "
	for _, c := range []struct{ version, own, on, want string }{
		{"8.1", "sm_60", "sm_80", refused + ".target sm_60 passes at most 4352; .target sm_80 allows 32764"},
		{"8.1", "sm_30", "sm_90", refused + ".target sm_30 passes at most 4352; .target sm_90 allows 32764"},
		{"8.1", "sm_70", "sm_80", ""},
		{"8.1", "sm_80", "sm_80", ""},
		{"8.0", "sm_60", "sm_80", refused + "PTX 8.0 passes at most 4352; sm_80 allows 32764 from PTX 8.1 on"},
		{"8.0", "sm_80", "sm_80", refused + "PTX 8.0 passes at most 4352; sm_80 allows 32764 from PTX 8.1 on"},
		{"8.1", "sm_60", "sm_61", refused + "sm_61 passes at most 4352"},
	} {
		m := parse(t, ".version "+c.version+"\n.target "+c.own+"\n.entry k(.param .align 4 .b8 x[5000]) { exit; }\n")
		row := must.Target(t, c.on)
		got := ""
		if _, diags := resolve.Functions(m)[0].Assign(row); diags.Err() != nil {
			require.Len(t, diags, 1)
			got = diags[0].Error()
		}
		assert.Equal(t, c.want, strings.TrimSuffix(got, " [BadSignature]"), "%+v", c)
		small := parse(t, ".version "+c.version+"\n.target "+c.own+"\n.entry k(.param .align 4 .b8 x[4352]) { exit; }\n")
		_, diags := resolve.Functions(small)[0].Assign(row)
		assert.Empty(t, diags)
	}
}

// Errors of a list of functions, with all that can be placed.
func TestAssignAll(t *testing.T) {
	row := must.Target(t, "sm_80")
	m := parse(t, `.version 8.0
.target sm_80
.func f(.param .align 3 .b8 x[4], .param .b32 y) { ret; }
.func g(.param .b32 x) { ret; }
.entry k(.param .texref a[2], .param .b32 b, .param .align 4 .b8 c[5000]) { exit; }
`)
	all, diags := resolve.AssignAll(resolve.Functions(m), row)
	require.Len(t, all, 3)
	assert.Equal(t, "R4", all[1].Places.String())
	var got []string
	for _, d := range diags {
		got = append(got, d.Error())
	}
	require.Len(t, got, 3, strings.Join(got, "\n"))
	assert.Contains(t, got[0], "t.ptx:3:29: error: x of f: an alignment of 3")
	assert.Contains(t, got[1], "t.ptx:5:66: error: c of k: ends at byte 5004 of the parameter block, PTX 8.0 passes at most 4352")
	assert.Contains(t, got[2], "a of k: an array of handles has bytes with ptxas up to 13.0")

	_, diags = all[2].AssignLatest(row)
	assert.Len(t, diags, 1, "the array of handles is none")
}

func TestKinds(t *testing.T) {
	assert.Equal(t, "func entry prototype Kind(7)", fmt.Sprint(resolve.Func, resolve.Entry, resolve.Prototype, resolve.Kind(7)))
	var none resolve.Function
	assert.Equal(t, "func()", none.Signature().String())
	assert.Nil(t, none.Directive(".noreturn"))
}
