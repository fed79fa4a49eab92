package lower_test

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestRefusedByCheck has a module for each case that has no lowering. Package check refuses
// it, so that it never comes as far as a plan or code.
func TestRefusedByCheck(t *testing.T) {
	const regs = ".reg .b16 %h; .reg .b32 %r, %s; .reg .b64 %p; .reg .pred %q; .reg .v2 .f32 %v; .reg .f64 %d; .param .b32 a0, r0; .param .align 4 .b8 a8[8]; "
	sm80 := must.Target(t, "sm_80")
	for _, tt := range []struct {
		what, body string
	}{
		{"nothing", ""}, // else all the rest would be refused for another reason
		{"a name that is no function", "call nobody;"},
		{"a call of a kernel", "call k, (a0);"},
		{"a call of a variable", "call g;"},
		{"a register without a prototype", "call %p, (a0);"},
		{"a prototype that is none", "call %p, (a0), nobody;"},
		{"a list with a name that is no function", "l: .calltargets nobody; call (r0), %p, (a0), l;"},
		{"a sum of a variable for a register", "add.u64 %p, x+4, 4;"},
		{"a variable for a register", "setp.eq.u64 %q, x, 0;"},
		{"a variable in a vector", "mov.b64 %p, {x, x};"},
		{"a variable in memory for a register", "mov.b32 %r, [x];"},
		{"a variable of an instruction that is not known", "frob.u32 %r, x;"},
		{"a branch to a number", "bra 5;"},
		{"a list that differs in .abi_preserve", "l: .calltargets plain, preserves; call %p, (a0), l;"},
		{"too few arguments", "call many, (a0);"},
		{"too many arguments", "call many, (a0, a0, a0);"},
		{"a result of a function without one", "call (r0), plain, (a0);"},
		{"no result of a function with one", "call f, (a0);"},
		{"two results", ".func (.reg .b32 r, .reg .b32 q) two() { ret; }|call (r0, a0), two;"},
		{"a handle for a function", ".func handle(.param .texref t) { ret; }|call handle, (a0);"},
		{"an argument of another size", "call wide, (a0);"},
		{"a result of another size", "call (a8), f, (a0);"},
		{"a number for a register", "ld.param.b32 5, [x];"},
		{"a register that is not declared", "ld.param.b32 %none, [x];"},
		{"a label for a register", "l: ld.param.b32 l, [x];"},
		{"a variable for a register", "ld.param.b32 g, [x];"},
		{"an element that a vector does not have", "st.param.f32 [a0], %v.w;"},
		{"a predicate to memory", "st.param.b32 [a0], %q;"},
		{"a store of a narrower register", "st.param.b32 [a0], %h;"},
		{"a store of more than the register has", "st.param.b64 [a8], %r;"},
		{"an integer constant for a float", ".func f2(.param .f32 a) { ret; }|call f2, (5);"},
		{"a constant for an array", "call wide, (5);"},
		{"a register for an array", "call wide, (%p);"},
		{"an argument that is none", "call plain, (nobody);"},
		{"a formal passed on", "call plain, (x);"},
		{"a register without words", ".global .texref tex;|.reg .texref %t; st.param.b64 [a8], %t;"},
		{"a variable that is not declared", "ld.param.b32 %r, [nobody];"},
		{"a load to a narrower register at an address", "mov.b64 %p, x; ld.param.b64 %r, [%p];"},
		{"a narrower register for an argument", "call plain, (%h);"},
		{"a predicate for an argument", "call plain, (%v);"},
		{"a register for an array result", "call (%p), array;"},
		{"a formal for a result", "call (x), f, (a0);"},
		{"another register for a result", "call (%p), f, (a0);"},
		{"a label twice", "l: l: ret;"},
		{"a branch to a label that is not there", "bra nowhere;"},
		{"a branch through a list that is none", "brx.idx %r, nowhere;"},
		{"a list with a label that is not there", "l: .branchtargets nowhere; brx.idx %r, l;"},
		{"a load to a narrower register", "ld.param.b32 %h, [x];"},
		{"a load to a narrower register at a register", "ld.param.b64 %r, [a8];"},
		{"cvta of a .param variable", "cvta.param.u64 %p, a0;"},
		{"an address in a predicate", "mov.b64 %q, x;"},
		{"the address of a .param variable of a call", "mov.b64 %p, a0;"},
		{"an access without bytes", "ld.param.pred %q, [x];"},
		{"an address without a name", "ld.param.b32 %r, [16];"},
		{"an address of a global variable", "ld.param.b32 %r, [g];"},
		{"bytes before a variable", "st.param.b32 [a0-4], %r;"},
		{"a store to an input parameter", "st.param.b32 [x], %r;"},
		{"a vector of too few registers", "ld.param.v2.b32 {%r}, [a8];"},
		{"a scalar access with two registers", "ld.param.b32 {%r, %s}, [a8];"},
		{"stacksave with two operands", "stacksave.u64 %p, %p;"},
		{"stacksave without operands", "stacksave.u64;"},
		{"stacksave to a narrow register", "stacksave.u64 %h;"},
		{"alloca with an odd alignment", "alloca.u64 %p, 8, 3;"},
		{"alloca to a narrow register", "alloca.u64 %h, 8;"},
		{"alloca of a predicate", "alloca.u64 %p, %q;"},
		{"a call through a narrow register", "pr: .callprototype _ (.param .b32 a); call %h, (a0), pr;"},
	} {
		for _, kernel := range []string{".func here(.param .b32 x)", ".entry here(.param .b32 x)"} {
			top, body, ok := strings.Cut(tt.body, "|")
			if !ok {
				top, body = "", top
			}
			m, err := ptx.Parse("x.ptx", []byte(refusedHead+top+"\n"+kernel+"\n{ "+regs+body+" ret; }\n"))
			if err != nil {
				require.NotEqual(t, "nothing", tt.what, err)
				continue // refused before
			}
			_, err = lower.Module(m, sm80, lower.Options{})
			if tt.what == "nothing" {
				require.NoError(t, err)
				continue
			}
			var list diag.List
			if !assert.ErrorAs(t, err, &list, "%s in %s", tt.what, kernel) {
				continue
			}
			open := slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code == lower.NotLowered })
			assert.False(t, open, "%s in %s: %s", tt.what, kernel, err)
			assert.NotContains(t, err.Error(), "mistake of ptxabi", tt.what)
		}
	}
}

// TestVariableBeyondReach lowers a call whose result no offset reaches: the error is said, and the
// variable, whose words are millions, has no code.
func TestVariableBeyondReach(t *testing.T) {
	const src = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .align 16 .b8 r[150000000]) g ();\n" +
		".visible .func f () { .param .align 16 .b8 r[150000000]; .reg .b32 %r; call (r), g, (); ld.param.b32 %r, [r]; ret; }\n"
	for _, stage := range []lower.Stage{lower.Plan, lower.Selected, lower.Code, ""} {
		var text bytes.Buffer
		allocated := testing.AllocsPerRun(1, func() {
			text.Reset()
			assert.ErrorContains(t, lower.Write(&text, src, lower.Options{Stage: stage}), "150000000 bytes exceed the 8388608 that local memory offsets reach")
		})
		assert.Less(t, allocated, 10_000.0, stage)
	}
}

//go:embed testdata/text/refusedHead.ptx
var refusedHead string
