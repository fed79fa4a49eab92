package resolved

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/ptx"
)

func parse(t *testing.T, src string) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse("t.ptx", []byte(src))
	require.NoError(t, err)
	return m
}

// add declares a name.
func add(s *scope, name string, sym *Symbol) *Symbol {
	sym.Name = int(s.Number(name))
	return s.Add(sym)
}

// declare declares the names of a statement that declares any.
func declare(s *scope, st ptx.Stmt) {
	switch st := st.(type) {
	case *ptx.Decl:
		for i := range st.Vars {
			add(s, st.Vars[i].Name, &Symbol{Spec: &st.Spec, Var: &st.Vars[i]})
		}
	case *ptx.Prototype:
		add(s, st.Name, &Symbol{Proto: st})
	case *ptx.TargetList:
		add(s, st.Name, &Symbol{Targets: st})
	}
}

// formals declares formals.
func formals(s *scope, list []ptx.Formal, role Role) {
	for i := range list {
		add(s, list[i].Name, s.NewVar(&list[i].Spec, &list[i].Var, role, i))
	}
}

func TestScope(t *testing.T) {
	m := parse(t, `.func f() {
	.reg .b32 %r<20>, %r1<5>, x;
	.reg .b64 %r3, %q2;
	{
		.reg .f64 x;
		.reg .b16 %r<2>, %q<4>;
	}
	ret; }`)
	body := m.Items[0].(*ptx.Func).Body
	typeOf := func(s *scope, name string) string {
		sym := s.Lookup(name)
		if sym == nil {
			return "none"
		}
		return sym.Spec.Type.String()
	}
	var s scope
	for range 2 { // a scope that was reset is as good as new
		s.Reset()
		declare(&s, body[0])
		declare(&s, body[1])
		for name, want := range map[string]string{
			"x": ".b32", "%r0": ".b32", "%r19": ".b32", "%r20": "none", "%r": "none",
			"%r3":  ".b64", // declared itself, over %r<20>
			"%r14": ".b32", "%r22": "none", "%r05": ".b32", "%r104": ".b32", "%r105": "none", "y": "none", "%r99999999999999999999": "none",
		} {
			assert.Equal(t, want, typeOf(&s, name), name)
		}
		s.Open()
		declare(&s, body[3])
		declare(&s, body[4])
		assert.Equal(t, 1, len(s.marks))
		assert.Equal(t, ".f64", typeOf(&s, "x"))
		assert.Equal(t, ".b16", typeOf(&s, "%r1"))
		assert.Equal(t, ".b16", typeOf(&s, "%q2"), "an inner range hides an outer name")
		assert.Equal(t, ".b32", typeOf(&s, "%r2"), "%r<2> hides no more than two of %r<20>")
		s.Close()
		assert.Equal(t, ".b32", typeOf(&s, "x"))
		assert.Equal(t, ".b32", typeOf(&s, "%r1"))
		s.Close() // one too many does no harm
		assert.Equal(t, ".b32", typeOf(&s, "x"))
	}
}

// A range overlaps the names that ptxas takes for its own, and those alone.
func TestOverlap(t *testing.T) {
	for _, tt := range []struct {
		before, decl string
		want         bool
	}{
		{"a<3>", "a1", true},
		{"a<3>", "a01", true},
		{"a<3>", "a3", false},
		{"a<3>", "a", false},
		{"a<3>", "a1<2>", false},
		{"a1", "a<3>", true},
		{"%r2", "%r<3>", true},
		{"%r3", "%r<3>", false},
		{"%r1x", "%r<3>", false},
	} {
		m := parse(t, ".func f() { .reg .b32 "+tt.before+"; .reg .b32 "+tt.decl+"; { .reg .b32 "+tt.decl+"; } ret; }")
		body := m.Items[0].(*ptx.Func).Body
		var s scope
		s.Reset()
		declare(&s, body[0])
		v := &body[1].(*ptx.Decl).Vars[0]
		assert.Equal(t, tt.want, s.Overlap(v) != nil, tt)
		s.Open()
		assert.Nil(t, s.Overlap(v), "in an inner block: %v", tt)
		s.Close()
		assert.Equal(t, tt.want, s.Overlap(v) != nil, tt)
	}
}
