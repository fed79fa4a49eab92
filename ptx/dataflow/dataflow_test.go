package dataflow_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
	"github.com/ptxabi/ptxabi/resolve"
)

// function returns the flow of the last function of a module.
func function(t testing.TB, src string) *dataflow.Function {
	t.Helper()
	m := must.Parse(t, "x.ptx", []byte(src))
	return dataflow.New(m.Items[len(m.Items)-1].(*ptx.Func), resolve.NewTable(m))
}

// text writes a line for each statement that reads or writes registers.
func text(fn *dataflow.Function) string {
	var b strings.Builder
	for i, s := range fn.Func.Body {
		var list []string
		for _, r := range fn.Uses(i) {
			list = append(list, fn.Registers[r].Name)
		}
		for _, d := range fn.Defs(i) {
			kind := "="
			if !d.Kills {
				kind = "~"
			}
			list = append(list, kind+fn.Registers[d.Reg].Name)
		}
		if list != nil {
			fmt.Fprintf(&b, "%s\t%s\n", strings.TrimSpace(string(ptx.AppendStmt(nil, s))), strings.Join(list, " "))
		}
	}
	return b.String()
}

func TestUsesAndDefs(t *testing.T) {
	fn := function(t, `.func (.reg .b32 %out) f (.reg .b64 %in, .param .b32 x) {
	.reg .b32 %r<9>; .reg .pred %p<3>; .reg .v4 .f32 %v; .reg .b64 %f;
	ld.param.b32 %r1, [x];
	setp.eq.s32 %p1|%p2, %r1, %tid.x;
	@%p1 mov.b32 %r2, 5;
	@!%p2 ld.param.b32 %r3, [x+0];
	mov.f32 %v.x, %r2;
	ld.global.v4.f32 %v, [%in+16]; // %r7
	{ .reg .b32 %r1; add.s32 %r1, %r1, %r2; }
	st.global.v2.f32 [%in], {%v.y, %r1};
	frob.x %r4, [%in], x;
	.param .b32 p; .reg .b32 %a;
	st.param.b32 [p], %r4;
	call (%a), %f, (p, %r3), proto;
	ret;
}`)
	assert.Equal(t, `ld.param.b32 %r1, [x];	=%r1
setp.eq.s32 %p1|%p2, %r1, %tid.x;	%r1 =%p1 =%p2
@%p1 mov.b32 %r2, 5;	%p1 ~%r2
@!%p2 ld.param.b32 %r3, [x+0];	%p2 ~%r3
mov.f32 %v.x, %r2;	%r2 ~%v
ld.global.v4.f32 %v, [%in+16];	%in =%v
add.s32 %r1, %r1, %r2;	%r1 %r2 =%r1
st.global.v2.f32 [%in], {%v.y, %r1};	%in %v %r1
frob.x %r4, [%in], x;	%r4 %in ~%r4
st.param.b32 [p], %r4;	%r4
call (%a), %f, (p, %r3), proto;	%f %r3 =%a
ret;	%out
`, text(fn))
	assert.Len(t, fn.Unknown, 1)
	assert.Len(t, fn.Calls, 1)
	inner := 0
	for i := range fn.Registers {
		r := &fn.Registers[i]
		assert.Equal(t, i, fn.Register(r.Var, r.Name))
		if r.Name == "%r1" {
			inner++
		}
		switch r.Name {
		case "%v":
			assert.Equal(t, []int{4, 4, 1}, []int{r.Elements(), r.Words(), r.Align()})
		case "%p1":
			assert.Equal(t, []int{1, 0, 1}, []int{r.Elements(), r.Words(), r.Align()})
		case "%in":
			assert.Equal(t, []int{1, 2, 2}, []int{r.Elements(), r.Words(), r.Align()})
			assert.True(t, r.Formal)
		}
	}
	assert.Equal(t, 2, inner, "one of each block")
}

// TestLifetimes holds that a lifetime goes round a loop, has holes, and is one place long
// for what nothing reads.
func TestLifetimes(t *testing.T) {
	fn := function(t, `.func f (.reg .b32 %n) {
	.reg .b32 %r<9>; .reg .pred %p;
	mov.b32 %r1, 0;
	mov.b32 %r2, 7;
	mov.b32 %r4, 1;
L:
	add.s32 %r1, %r1, %r2;
	mov.b32 %r3, %r1;
	st.global.b32 [%r3], %r4;
	mov.b32 %r3, %n;
	mov.b32 %r3, 5;
	setp.lt.s32 %p, %r1, 9;
	@%p bra L;
	st.global.b32 [%r1], %r3;
}`)
	var b strings.Builder
	lifetimes := fn.Lifetimes()
	of := make(map[string]*dataflow.Lifetime)
	for i := range lifetimes {
		l := &lifetimes[i]
		of[fn.Registers[l.Reg].Name] = l
		fmt.Fprintln(&b, fn.Registers[l.Reg].Name, l.Ranges)
	}
	assert.Equal(t, `%n [{-1 25}]
%r1 [{5 12} {13 26}]
%r2 [{7 25}]
%r4 [{9 25}]
%r3 [{15 16} {19 19} {21 26}]
%p [{23 24}]
`, b.String())
	assert.True(t, of["%r1"].Overlaps(of["%r2"]))
	assert.False(t, of["%p"].Overlaps(&dataflow.Lifetime{Ranges: []dataflow.Range{{25, 30}}}))
	assert.True(t, of["%r3"].Across(11))
	assert.False(t, of["%r3"].Across(8), "it is read last there")
	assert.False(t, of["%r3"].Across(10), "it is written first there")
	assert.Equal(t, -1, of["%n"].From())
	assert.Equal(t, 26, of["%r3"].To())
}

// random returns a function of n statements with jumps and guards at random.
func random(rng *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString(".func (.reg .b32 %r0) f (.reg .b32 %r1) {\n.reg .b32 %r2, %r3, %r4; .reg .pred %p<2>;\nt: .branchtargets L0, L1;\n")
	reg := func() int { return rng.Intn(5) }
	for i := range n {
		fmt.Fprintf(&b, "L%d:\n", i)
		guard := []string{"", "", "@%p0 ", "@!%p1 "}[rng.Intn(4)]
		switch rng.Intn(7) {
		case 0:
			fmt.Fprintf(&b, "%sbra L%d;\n", guard, rng.Intn(n))
		case 1:
			fmt.Fprintf(&b, "%sret;\n", guard)
		case 2:
			fmt.Fprintf(&b, "setp.lt.s32 %%p%d, %%r%d, 1;\n", rng.Intn(2), reg())
		case 3:
			fmt.Fprintf(&b, "@%%p0 brx.idx %%r%d, t;\n", reg())
		default:
			fmt.Fprintf(&b, "%sadd.s32 %%r%d, %%r%d, %%r%d;\n", guard, reg(), reg(), reg())
		}
	}
	return b.String() + "L0x:\n}"
}

// TestLive holds liveness against its definition: a register is live before a statement if
// some way from there reads it before it kills it.
func TestLive(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 300 {
		src := random(rng, 2+rng.Intn(12))
		fn := function(t, src)
		n := len(fn.Func.Body)
		next := func(i int) (to []int) {
			b := fn.BlockOf(i)
			if i+1 < fn.Blocks[b].End {
				return []int{i + 1}
			}
			for todo := slices.Clone(fn.Blocks[b].Succs); len(todo) > 0; todo = todo[1:] {
				if s := &fn.Blocks[todo[0]]; s.First == s.End {
					todo = append(todo, s.Succs...)
				} else {
					to = append(to, s.First)
				}
			}
			return to
		}
		live := func(r, from int) bool {
			seen := make([]bool, n+1)
			for todo := []int{from}; len(todo) > 0; {
				i := todo[0]
				todo = todo[1:]
				if i == n || seen[i] {
					continue
				}
				seen[i] = true
				if slices.Contains(fn.Uses(i), r) {
					return true
				}
				if slices.Contains(fn.Defs(i), dataflow.Def{Reg: r, Kills: true}) {
					continue
				}
				to := next(i)
				if len(to) == 0 && i == n-1 && fn.Registers[r].Name == "%r0" { // the end of the body
					return true
				}
				todo = append(todo, to...)
			}
			return false
		}
		lifetimes := fn.Lifetimes()
		for r := range fn.Registers {
			at := slices.IndexFunc(lifetimes, func(l dataflow.Lifetime) bool { return l.Reg == r })
			for i := range n {
				want := live(r, i)
				got := at >= 0 && slices.ContainsFunc(lifetimes[at].Ranges, func(rg dataflow.Range) bool { return rg.From < 2*i+1 && rg.To >= 2*i })
				require.Equal(t, want, got, "%s before statement %d of\n%s%v", fn.Registers[r].Name, i, src, lifetimes)
				for _, d := range fn.Defs(i) {
					if d.Reg == r {
						require.True(t, slices.ContainsFunc(lifetimes[at].Ranges, func(rg dataflow.Range) bool { return rg.From <= 2*i+1 && rg.To >= 2*i+1 }))
					}
				}
			}
		}
	}
}

// TestLivenessWithin holds that what is live across many labels is given up: n registers in n blocks.
func TestLivenessWithin(t *testing.T) {
	const n = 50
	var b strings.Builder
	fmt.Fprintf(&b, ".func f () { .reg .pred %%p; .reg .b32 %%r<%d>;\n", n)
	for i := range n {
		fmt.Fprintf(&b, "L%d: add.s32 %%r%d, %%r%[2]d, 1; @%%p bra L%d;\n", i, i, n-1-i)
	}
	fn := function(t, b.String()+"}")
	assert.Nil(t, fn.LivenessWithin(n*n))
	assert.Equal(t, fn.Liveness(), fn.LivenessWithin(4*n*n))
	assert.Len(t, fn.Liveness().In(1), n+1)
}

func TestRename(t *testing.T) {
	fn := function(t, `.func f () { .reg .b32 %r<9>; .reg .pred %p; .param .b32 a;
	@%p mad.lo.s32 %r1, %r2.x, /* %r2 */ %r3, -0x10;
	st.param.v2.b32 [a+4], {%r1, %r2};
	call (%r1), f, (a, %r2); }`)
	var b strings.Builder
	for _, s := range fn.Func.Body[3:] {
		renamed := dataflow.Rename(s, func(name string) string { return strings.ReplaceAll(name, "%", "%new") })
		b.Write(append(ptx.AppendStmt(nil, renamed), '\n'))
		if c, ok := renamed.(*ptx.Call); ok {
			assert.Equal(t, "%newr2", c.Params[1].Name())
		}
		if a, ok := renamed.(*ptx.Access); ok {
			assert.Equal(t, "%newr1", a.Regs[0].Name())
		}
	}
	assert.Equal(t, "@%newp mad.lo.s32 %newr1, %newr2.x, %newr3, -0x10;\nst.param.v2.b32 [a+4], {%newr1, %newr2};\ncall (%newr1), f, (a, %newr2);\n", b.String())
}

// TestRealFunctions holds that of what compilers write everything is known, and that what
// is live where a function begins is a formal, or read on some way before it is written.
func TestRealFunctions(t *testing.T) {
	files := must.Glob(t, "../../testdata/real/*.ptx")
	registers := 0
	for _, file := range files {
		src := must.Read(t, file)
		m := must.Parse(t, file, src)
		table := resolve.NewTable(m)
		for _, it := range m.Items {
			f, ok := it.(*ptx.Func)
			if !ok || !f.HasBody {
				continue
			}
			fn := dataflow.New(f, table)
			assert.Empty(t, fn.Unknown)
			l := fn.Liveness()
			for _, lt := range fn.Lifetimes() {
				registers++
				assert.Equal(t, slices.Contains(l.In(0), lt.Reg), lt.From() == -1, "%s: %s: %s", file, f.Name, fn.Registers[lt.Reg].Name)
				for i := 1; i < len(lt.Ranges); i++ {
					assert.Less(t, lt.Ranges[i-1].To, lt.Ranges[i].From)
				}
			}
		}
	}
	assert.Greater(t, registers, 10000)
}

// The registers that a call has to keep.
func ExampleNew() {
	m, err := ptx.Parse("f.ptx", []byte(`.func g();
.func f (.reg .b32 %a) {
	.reg .b32 %r<3>;
	add.s32 %r1, %a, 1;
	add.s32 %r2, %a, 2;
	st.global.b32 [%a], %r1;
	call g;
	st.global.b32 [%a], %r2;
	ret;
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fn := dataflow.New(m.Items[1].(*ptx.Func), resolve.NewTable(m))
	for _, l := range fn.Lifetimes() {
		if l.Across(fn.Calls[0]) {
			fmt.Println(fn.Registers[l.Reg].Name)
		}
	}
	// Output:
	// %a
	// %r2
}

// What an instruction does with its operands.
func ExampleOperands() {
	list, known := dataflow.Operands("atom.global.add.u32", ptx.ParseOperands("%r1, [%rd1+4], %r2"))
	fmt.Println(known)
	for _, o := range list {
		fmt.Println(o.Text, o.Read, o.Written, o.Kind == ptx.KindAddress)
	}
	// Output:
	// true
	// %r1 false true false
	// [%rd1+4] true false true
	// %r2 true false false
}
