package ptx_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestOnlyPercent holds what instructions say of the names among their operands
// against what the tokens are made of.
func TestOnlyPercent(t *testing.T) {
	pieces := []struct {
		text string
		bare bool
	}{
		{"%r1", false},
		{"%tid.x", false},
		{"[%rd1+4]", false},
		{"[%rd1+-4]", false},
		{"{%r1,%r2}", false},
		{"%p1|%p2", false},
		{"5", false},
		{"-0x1F", false},
		{"0f3F800000", false},
		{"1.5e3", false},
		{"(%r5)%%r7", false},
		{"\"a b\"", false},
		{"/* a */ %r3", false},
		{"a", true},
		{"$L1", true},
		{"_", true},
		{"[a]", true},
		{"[%rd1+a]", true},
		{"{%r1,b}", true},
		{"!p", true},
		{"a%b", true},
		{"5*a", true},
		{"(a)", true},
		{"\"s\" ,a", true},
	}
	r := rand.New(rand.NewPCG(7, 9))
	var want []bool
	var src strings.Builder
	src.WriteString(".version 7.8\n.target sm_80\n.address_size 64\n.func f ()\n{\n")
	for range 2000 {
		var ops []string
		bare := false
		for range r.IntN(4) {
			one := pieces[r.IntN(len(pieces))]
			ops = append(ops, one.text)
			bare = bare || one.bare
		}
		src.WriteString("\top." + "u32 " + strings.Join(ops, []string{",", ", ", " ,", ",\n\t\t", ", // x\n"}[r.IntN(5)]) + ";\n")
		want = append(want, !bare)
	}
	src.WriteString("}\n")
	m, err := ptx.ParseString("percent.ptx", src.String())
	require.NoError(t, err)
	body := m.Items[len(m.Items)-1].(*ptx.Func).Body
	require.Len(t, body, len(want))
	for i, s := range body {
		in := s.(*ptx.Instr)
		assert.Equal(t, want[i], in.OnlyPercent(), in.Args)
	}
	assert.False(t, (&ptx.Instr{Op: "ret"}).OnlyPercent(), "built by hand")
}
