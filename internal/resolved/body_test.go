package resolved

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestBody holds what names mean to each statement of a body, in any order of asking,
// against a Scope that walks over it: among ranges in ranges, names that look like one
// of them, blocks that are closed, and braces too many.
func TestBody(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	names := []string{"%r", "%r0", "%r3", "%r14", "%r1", "%r17", "%r012", "a", "a2", "a12", "a1", "long_name_1", "long_name_", "none"}
	var res Resolver
	for range 400 {
		src := randomBody(rnd, names)
		m, _ := ptx.Parse("x.ptx", []byte(src))
		f := m.Items[0].(*ptx.Func)
		b := res.Body(f, f.Body, false)
		want := walked(f, names)
		for _, i := range rnd.Perm(len(f.Body)) {
			if _, ok := f.Body[i].(*ptx.Close); ok {
				continue // it names nothing
			}
			for _, name := range names {
				require.Equal(t, want[i][name], describe(b.Lookup(i, name)), "%s at statement %d of\n%s", name, i, src)
			}
			if a, ok := f.Body[i].(*ptx.Access); ok {
				ops := b.Operands(i)
				require.Len(t, ops, 1+len(a.Regs))
				assert.Equal(t, want[i][a.Addr.Base], describe(b.Sym(ops[0])))
				for k := range a.Regs {
					assert.Equal(t, want[i][a.Regs[k].Text], describe(b.Sym(ops[1+k])))
				}
			}
		}
	}
}

func randomBody(rnd *rand.Rand, names []string) string {
	var s strings.Builder
	name := func() string { return names[rnd.IntN(len(names))] }
	fmt.Fprintf(&s, ".func f(.param .b32 %s, .reg .b32 %s) {\n", name(), name())
	for range rnd.IntN(40) {
		switch rnd.IntN(7) {
		case 0:
			s.WriteString("{\n")
		case 1:
			s.WriteString("}\n{\n") // or the function would end
		case 2:
			fmt.Fprintf(&s, ".reg .b32 %s;\n", name())
		case 3:
			fmt.Fprintf(&s, ".reg .b32 %s<%d>;\n", name(), rnd.IntN(20))
		case 4:
			fmt.Fprintf(&s, ".param .b32 %s, %s;\n", name(), name())
		case 5:
			fmt.Fprintf(&s, "ld.param.b32 %s, [%s];\n", name(), name())
		case 6:
			fmt.Fprintf(&s, "add.s32 %s, %s, 1;\n", name(), name())
		}
	}
	return s.String() + "}\n"
}

// walked returns what each name means to each statement.
func walked(f *ptx.Func, names []string) []map[string]string {
	var s Scope
	s.Formals(f.Results, Result)
	s.Formals(f.Params, Param)
	all := make([]map[string]string, len(f.Body))
	for i, st := range f.Body {
		all[i] = make(map[string]string)
		for _, name := range names {
			all[i][name] = describe(s.Lookup(name))
		}
		switch st.(type) {
		case *ptx.Open:
			s.Open()
		case *ptx.Close:
			s.Close()
		default:
			s.Declare(st)
		}
	}
	return all
}

func describe(sym *Symbol) string {
	if sym == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s<%d> at %s, %d blocks deep", sym.Var.Name, sym.Var.Count, sym.Var.Pos, sym.Depth)
}
