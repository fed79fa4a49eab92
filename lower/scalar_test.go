package lower_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestRenamedScalars passes on registers that keep their names and such that do not.
func TestRenamedScalars(t *testing.T) {
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	for _, c := range []struct{ body, text string }{
		{".reg .b64 x; ld.param.b32 x, [a]; add.s64 x, x, 1; st.param.b32 [q], x;", "MOV x$4.lo, R4 ;"},
		{".reg .b64 x; ld.param.b32 x, [a]; add.s64 x, x, 1; st.param.b32 [q], x;", "MOV R4, x$4.lo ;"},
		{".reg .b32 %r<2>; st.param.b32 [q], %r1;", "MOV R4, %r1$4 ;"},
		{".reg .b32 %s<2>; st.param.b32 [q], %s1;", "MOV R4, %s1 ;"},
		{".reg .v2 .b32 v; st.param.b32 [q], v.y;", "MOV R4, v.y ;"},
	} {
		src := ".version 7.0\n.target sm_80\n.address_size 64\n.visible .func (.param .b32 q) f(.param .b32 a)\n{\n" +
			".reg .b32 x, %r<2>;\n{ " + c.body + " }\nret;\n}\n"
		m, err := ptx.Parse("", []byte(src))
		require.NoError(t, err)
		prog, err := lower.Module(m, target, lower.Options{})
		require.NoError(t, err)
		assert.Contains(t, prog.String(), c.text)
	}
}
