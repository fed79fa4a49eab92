package diff_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/diff"
	"github.com/ptxabi/ptxabi/ptx"
)

func side(name string, src []byte, target string) (*diff.Side, error) {
	m, err := ptx.Parse(name, src)
	if err != nil {
		return nil, err
	}
	t, err := abi.Lookup(target)
	if err != nil {
		return nil, err
	}
	s, list := diff.NewSide(m, t)
	return s, list.Err()
}

// report compares the inputs of a case, or the one there is with itself.
func report(c *golden.Case, args []string) (*diff.Report, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("no target")
	}
	last := c.Inputs[len(c.Inputs)-1]
	a, err := side(c.Inputs[0].Name, c.Inputs[0].Data, args[0])
	if err != nil {
		return nil, err
	}
	b, err := side(last.Name, last.Data, args[len(args)-1])
	if err != nil {
		return nil, err
	}
	return diff.Compare(a, b), nil
}

func matrix(c *golden.Case) (*diff.Matrix, error) {
	m, err := ptx.Parse(c.Inputs[0].Name, c.Inputs[0].Data)
	if err != nil {
		return nil, err
	}
	return diff.NewMatrix(m, abi.Targets()), nil
}

func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/golden", map[string]golden.Section{
		"text": func(c *golden.Case, args []string) ([]byte, error) {
			r, err := report(c, args)
			if err != nil {
				return nil, err
			}
			return []byte(r.TextIn(diff.Style{Whole: true})), nil
		},
		"json": func(c *golden.Case, args []string) ([]byte, error) {
			r, err := report(c, args)
			if err != nil {
				return nil, err
			}
			return document(diff.Document{Format: diff.Format, Reports: []*diff.Report{r}})
		},
		"matrix": func(c *golden.Case, _ []string) ([]byte, error) {
			m, err := matrix(c)
			if err != nil {
				return nil, err
			}
			return []byte(m.TextIn(diff.Style{})), nil
		},
		"matrix-json": func(c *golden.Case, _ []string) ([]byte, error) {
			m, err := matrix(c)
			if err != nil {
				return nil, err
			}
			return document(diff.Document{Format: diff.Format, Matrix: m})
		},
	})
}

// TestTypes has pairs of types that nvlink 12.4 and 13.0 were given as the two
// sides of a call, and whether they refused them.
func TestTypes(t *testing.T) {
	for _, tt := range []struct {
		a, b    string
		refused bool
	}{
		{".param .u32 x", ".param .b32 x", false},
		{".param .u32 x", ".param .s32 x", false},
		{".param .u32 x", ".param .f32 x", true},
		{".param .f32 x", ".param .b32 x", true},
		{".param .u64 x", ".param .f64 x", true},
		{".param .b16 x", ".param .f16 x", false},
		{".reg .b32 x", ".param .b32 x", false},
		{".reg .b32 x", ".reg .f32 x", true},
		{".reg .b32 x", ".reg .f16x2 x", false},
		{".reg .f32 x", ".reg .f16x2 x", true},
		{".reg .b64 x", ".reg .v2 .b32 x", false},
		{".reg .v2 .b32 x", ".reg .v2 .f32 x", false},
		{".reg .f64 x", ".reg .v2 .f32 x", true},
		{".param .align 8 .b8 x[8]", ".reg .v2 .f32 x", true},
		{".param .align 4 .b8 x[4]", ".param .b32 x", true},
		{".param .b32 x[1]", ".param .b32 x", true},
		{".param .b128 x", ".param .align 16 .b8 x[16]", true},
		{".param .align 4 .b8 x[8]", ".param .b32 x[2]", true},
		{".param .u32 x[2]", ".param .s32 x[2]", false},
		{".param .b32 x[2]", ".param .f32 x[2]", true},
		{".param .b16 x[2]", ".param .f16 x[2]", false},
		{".param .align 4 .b8 x[8]", ".param .align 8 .b8 x[8]", false},
	} {
		for _, form := range []string{".visible .func f (%s) { ret; }", ".visible .func (%s) f () { ret; }"} {
			var sides [2]*diff.Side
			for i, formal := range []string{tt.a, tt.b} {
				var err error
				sides[i], err = side("x.ptx", fmt.Appendf(nil, ".version 8.3\n.target sm_80\n.address_size 64\n"+form, formal), "sm_80")
				require.NoError(t, err, formal)
			}
			assert.Equal(t, tt.refused, diff.Compare(sides[0], sides[1]).Breaks(), "%s and %s in %s", tt.a, tt.b, form)
			assert.Equal(t, tt.refused, diff.Compare(sides[1], sides[0]).Breaks(), "%s and %s in %s", tt.b, tt.a, form)
		}
	}
}

// TestHidden is about functions that other modules can no longer call.
func TestHidden(t *testing.T) {
	const form = ".version 8.3\n.target sm_80\n.address_size 64\n%s.func f (.param .b32 a) { ret; }"
	var sides [2]*diff.Side
	for i, linkage := range []string{".visible ", ""} {
		var err error
		sides[i], err = side("x.ptx", fmt.Appendf(nil, form, linkage), "sm_80")
		require.NoError(t, err)
	}
	r := diff.Compare(sides[0], sides[1])
	require.True(t, r.Breaks())
	assert.Equal(t, "hidden", r.Functions[0].Changes[0].What)
	assert.False(t, diff.Compare(sides[1], sides[0]).Breaks(), "what becomes visible breaks nobody")
}

// TestLocal is about functions that are not visible: they break callers if their
// address is taken, whether they change or go.
func TestLocal(t *testing.T) {
	const head = ".version 8.3\n.target sm_80\n.address_size 64\n"
	const caller = "\n.visible .func g () { .reg .b64 %rd; .reg .b32 %r; { .param .b32 q; st.param.b32 [q], %r; call f, (q); } "
	for _, tt := range []struct {
		before, after string
		line          int
	}{
		{"", caller + "ret; }", 0},
		{"", caller + "mov.u64 %rd, f; ret; }", 5},
		{"", "\n.global .u64 table[1] = {f};", 5},
		{"", caller + "\n mov.u64 %rd, g; ret; }", 0},
		{"", caller + "\n targets: .calltargets f; ret; }", 6},
		{"", "\n.visible .func h () { .global .u64 inner[2] = {0, f}; ret; }", 5},
		{".global .u32 fg = 7;", "", 0},
	} {
		var sides []*diff.Side
		for _, f := range []string{".func f (.param .b32 a) { ret; }", ".func f (.param .b64 a) { ret; }", ""} {
			text := head + tt.before + f + tt.after
			if f == "" {
				text = head
			}
			s, err := side("x.ptx", []byte(text), "sm_80")
			require.NoError(t, err)
			sides = append(sides, s)
		}
		for i, what := range []string{"size", "removed"} {
			f := diff.Compare(sides[0], sides[i+1]).Functions[0]
			require.Equal(t, "f", f.Name)
			assert.Equal(t, tt.line, f.A.Taken, tt.after)
			assert.Equal(t, tt.line > 0, f.Breaks, "%s: %s", what, tt.after)
			assert.Contains(t, fmt.Sprint(f.Changes), what)
		}
	}
}

// TestFacts is about random functions: with itself a function is the same. With
// another it breaks callers unless every parameter and result has the size and
// the place that it had, and there are as many.
func TestFacts(t *testing.T) {
	formals := rapid.Custom(func(t *rapid.T) string {
		text := ""
		for i := range rapid.IntRange(0, 4).Draw(t, "count") {
			if i > 0 {
				text += ", "
			}
			size := rapid.IntRange(1, 20).Draw(t, "size")
			text += fmt.Sprintf(".param .align %d .b8 p%d[%d]", 1<<rapid.IntRange(0, 4).Draw(t, "align"), i, size)
		}
		return text
	})
	module := func(kind, list string) []byte {
		return []byte(".version 7.0\n.target sm_80\n.address_size 64\n.visible ." + kind + " f (" + list + ") { ret; }\n")
	}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"func", "entry"}).Draw(t, "kind")
		target := rapid.SampledFrom([]string{"sm_35", "sm_80", "sm_100"}).Draw(t, "target")
		la, lb := formals.Draw(t, "a"), formals.Draw(t, "b")
		a, err := side("a", module(kind, la), target)
		require.NoError(t, err)
		b, err := side("b", module(kind, lb), target)
		require.NoError(t, err)
		assert.True(t, diff.Compare(a, a).OK())
		r, back := diff.Compare(a, b), diff.Compare(b, a)
		assert.Equal(t, la == lb, r.OK())
		assert.Equal(t, r.OK(), back.OK())

		f := r.Functions[0]
		fits := len(f.A.Params) == len(f.B.Params)
		for i := range min(len(f.A.Params), len(f.B.Params)) {
			p, q := f.A.Params[i], f.B.Params[i]
			fits = fits && p.Place == q.Place && p.Size == q.Size
		}
		if !fits {
			assert.True(t, f.Breaks, "%s and %s", la, lb)
		} else if f.Breaks { // the stack's alignment alone can be the reason
			for _, c := range f.Changes {
				assert.True(t, !c.Breaks || c.What == "alignment", "%s and %s: %v", la, lb, c)
			}
		}
	})
}

// TestTextMany has more functions that differ than are printed one by one, and more on one side than are named.
func TestTextMany(t *testing.T) {
	r := &diff.Report{}
	for i := range 13 {
		r.Functions = append(r.Functions, diff.Function{Name: fmt.Sprintf("f%d", i), Status: diff.Differs, Breaks: i == 12, A: &diff.Func{Kind: "func"}, B: &diff.Func{Kind: "func"}})
	}
	for i := range 14 {
		r.Functions = append(r.Functions, diff.Function{Name: fmt.Sprintf("g%d", i), Status: diff.OnlyInA, Breaks: true, A: &diff.Func{Kind: "func"}})
	}
	text := r.Text()
	assert.Contains(t, text, " more that differ, 1 so that callers break: -v shows them\n")
	assert.Contains(t, text, "    g9\n    and 4 more: -v shows them\n")
	text = r.TextIn(diff.Style{Whole: true})
	assert.NotContains(t, text, "-v shows")
	assert.Contains(t, text, "func f12: ")
	assert.Contains(t, text, "    g13\n")
}

// TestHandlesAlone compares kernels of handles alone with their cubins: from sm_90
// on those do not record where a block without bytes begins.
func TestHandlesAlone(t *testing.T) {
	body := must.Read(t, "../../image/cubin/testdata/opaque.ptx")
	for name, target := range map[string]string{"opaque-sm_80-12.4": "sm_80", "opaque-sm_90-13.5": "sm_90"} {
		data := must.Read(t, "../../image/cubin/testdata/cubins/"+name+".cubin")
		f, err := cubin.Open(data)
		require.NoError(t, err)
		row := must.Target(t, target)
		compiled := diff.NewCompiledSide(f, name, row)
		source, err := side("opaque.ptx", append([]byte(".version 8.0\n.target "+target+"\n.address_size 64\n"), body...), target)
		require.NoError(t, err)
		for _, r := range []*diff.Report{diff.Compare(compiled, source), diff.Compare(source, compiled)} {
			assert.True(t, r.OK(), r.Text())
		}
	}
}

// document is JSON as the command prints it.
func document(d diff.Document) ([]byte, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	return append(text, '\n'), err
}
