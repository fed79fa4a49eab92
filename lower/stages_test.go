package lower

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower/internal/isel"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// everyOther gives each second register of a function a home, and the others slots.
type everyOther struct{ homes, slots map[string]int }

func (h everyOther) Home(_ *ptx.Func, r Virtual) (sass.Reg, bool) {
	if _, ok := h.slots[r.Name]; ok || r.Words == 0 {
		return 0, false
	}
	if _, ok := h.homes[r.Name]; !ok {
		if (len(h.homes)+len(h.slots))%2 == 1 || len(h.homes) > 40 {
			return 0, false
		}
		h.homes[r.Name] = 40 + 4*len(h.homes)
	}
	return sass.Reg(h.homes[r.Name]), true
}

func (h everyOther) Slot(_ *ptx.Func, r Virtual) (int, bool) {
	if r.Words == 0 {
		return 0, false
	}
	if _, ok := h.slots[r.Name]; !ok {
		h.slots[r.Name] = 16 * len(h.slots)
	}
	return h.slots[r.Name], true
}

// TestStagesKeepResults holds that nothing changes what it is given: body, plan and code are deeply equal to others of
// the same function that nothing has been given, after each stage and each pass, and after they have been printed.
func TestStagesKeepResults(t *testing.T) {
	files := must.Glob(t, "../testdata/real/*.ptx")
	target := must.Target(t, "sm_90a")
	functions, slots := 0, 0
	for i, file := range files {
		if !effort.Long() && i%4 != 0 {
			continue
		}
		src := must.Read(t, file)
		m := must.Parse(t, file, src)
		homes := everyOther{make(map[string]int), make(map[string]int)}
		for _, opts := range []Options{{}, {Homes: homes, Slots: homes}} {
			l, err := newLowerer(m, nil, target, opts)
			require.NoError(t, err)
			p := newPipeline(l)
			for b := range l.bodies {
				read, f := b.Body, b.Func
				place := func() *place.Plan {
					return (&place.Placer{Unit: l.Unit, Reporter: &p.Reporter}).Place(read)
				}
				plan := place()
				slots += len(plan.Spill.At)
				code := isel.Select(plan, p.options)
				again := func() *lir.Code { return isel.Select(place(), p.options) }
				before, after := p.steps(plan)
				printed := step{"", func(c *lir.Code) *lir.Code { c.AppendText(nil); c.AppendDump(nil); c.Items(); return c }}
				for _, s := range slices.Concat(before, after, []step{printed}) {
					made := s.run(code)
					require.True(t, reflect.DeepEqual(again(), code), "a code of %s of %s", f.Name, file)
					last := again
					again = func() *lir.Code { return s.run(last()) }
					code = made
				}
				require.True(t, reflect.DeepEqual(body.New(f, f.Body, false), read), "%s of %s", f.Name, file)
				require.True(t, reflect.DeepEqual(place(), plan), "%s of %s", f.Name, file)
				functions++
			}
		}
	}
	assert.Greater(t, functions, 100)
	assert.Positive(t, slots)
}

// TestLetThrough lowers what package check refuses as if it had not: that is reported, at its statement, as a mistake.
func TestLetThrough(t *testing.T) {
	target := must.Target(t, "sm_80")
	for _, src := range []string{"call nobody;", "ld.param.b32 %r1, [nobody];", "mov.b64 %q, x;", "st.param.b32 [x], g;", "alloca.u64 %q, 8;"} {
		m, err := ptx.ParseString("x.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 g;\n.func f(.param .b32 x) { .reg .b32 %r1; .reg .pred %q;\n"+src+"\nret; }")
		require.NoError(t, err)
		l, err := newLowerer(m, nil, target, Options{})
		require.NoError(t, err)
		f := m.Items[len(m.Items)-1].(*ptx.Func)
		r := newPipeline(l).function(check.Body{Body: body.New(f, f.Body, false)}, nil)
		require.Len(t, r.diags, 1, src)
		assert.Equal(t, NotLowered, r.diags[0].Code, src)
		assert.Equal(t, 6, int(r.diags[0].Pos.Line), src)
		assert.Nil(t, r.code, src)
	}
}

// TestNothingToMoveTo lowers a mov that begins with a constant, from a register in a slot: no such mov moves a register.
func TestNothingToMoveTo(t *testing.T) {
	m, err := ptx.ParseString("x.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.func f() { .reg .b32 %r, %s; mov.u32 %r, 2; mov.u32 1, %r; ret; }\n")
	require.NoError(t, err)
	slots := everyOther{make(map[string]int), make(map[string]int)}
	_, err = Module(m, must.Target(t, "sm_80"), Options{Slots: slots})
	require.ErrorContains(t, err, "%r lives in a slot of the frame, where mov.u32 cannot have it")
}
