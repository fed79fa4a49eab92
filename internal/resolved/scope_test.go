package resolved_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

func parse(t *testing.T, src string) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse("t.ptx", []byte(src))
	require.NoError(t, err)
	return m
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
	typeOf := func(s *resolved.Scope, name string) string {
		sym := s.Lookup(name)
		if sym == nil {
			return "none"
		}
		return sym.Spec.Type.String()
	}
	var s resolved.Scope
	for range 2 { // a Scope that was reset is as good as new
		s.Reset()
		s.Declare(body[0])
		s.Declare(body[1])
		for name, want := range map[string]string{
			"x": ".b32", "%r0": ".b32", "%r19": ".b32", "%r20": "none", "%r": "none",
			"%r3":  ".b64", // declared itself, over %r<20>
			"%r14": ".b32", "%r22": "none", "%r05": ".b32", "%r104": ".b32", "%r105": "none", "y": "none", "%r99999999999999999999": "none",
		} {
			assert.Equal(t, want, typeOf(&s, name), name)
		}
		s.Open()
		s.Declare(body[3])
		s.Declare(body[4])
		assert.Equal(t, 1, s.Depth())
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
		var s resolved.Scope
		s.Reset()
		s.Declare(body[0])
		v := &body[1].(*ptx.Decl).Vars[0]
		assert.Equal(t, tt.want, s.Overlap(v) != nil, tt)
		s.Open()
		assert.Nil(t, s.Overlap(v), "in an inner block: %v", tt)
		s.Close()
		assert.Equal(t, tt.want, s.Overlap(v) != nil, tt)
	}
}
