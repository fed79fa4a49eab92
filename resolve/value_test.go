package resolve_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

func parse(t *testing.T, src string) *ptx.Module {
	t.Helper()
	m := must.Parse(t, "t.ptx", []byte(src))
	return m
}

func TestValues(t *testing.T) {
	for _, tt := range []struct {
		formal string
		want   abi.Value
	}{
		{".reg .b32 x", abi.Value{Size: 4, Align: 4}},
		{".param .u8 x", abi.Value{Size: 1, Align: 1}},
		{".param .f16 x", abi.Value{Size: 2, Align: 2}},
		{".reg .pred x", abi.Value{Size: 1, Align: 1}},
		{".param .b128 x", abi.Value{Size: 16, Align: 16}},
		{".param .align 8 .b8 x[12]", abi.Value{Size: 12, Align: 8}},
		{".param .b8 .align 8 x[12]", abi.Value{Size: 12, Align: 8}},
		{".param .align 2 .b32 x[3]", abi.Value{Size: 12, Align: 4}}, // the element's own is larger
		{".param .align 1 .b64 x", abi.Value{Size: 8, Align: 8}},
		{".reg .v4 .f32 x", abi.Value{Size: 16, Align: 16}},
		{".reg .v2 .b16 x", abi.Value{Size: 4, Align: 4}},
		{".reg .v3 .b32 x", abi.Value{Size: 12, Align: 4}},
		{".param .b32 x[2][3]", abi.Value{Size: 24, Align: 4}},
		{".param .align 8 .b8 x[]", abi.Value{Kind: abi.Unsized, Align: 8}},
		{".param .b32 x[0]", abi.Value{Kind: abi.Unsized, Align: 4}},
		{".param .texref x", abi.Value{Kind: abi.Opaque, Align: 4}},
		{".param .align 3 .b8 x[4]", abi.Value{Size: 4, Align: 3}}, // for abi to refuse
		{".param .b64 x[4611686018427387904]", abi.Value{Size: min(1<<40, math.MaxInt), Align: 8}},
	} {
		m := parse(t, ".func f("+tt.formal+");")
		assert.Equal(t, []abi.Value{tt.want}, resolve.NewFunction(m, m.Items[0].(*ptx.Func)).Signature().Params, tt.formal)
	}
}

// PTX 1.0 to 1.3 declare a kernel's formals in its body; ptxas 11.8 places
// those of 1.3 like a list of formals and refuses the form from 1.4 on.
func TestFormalsInBody(t *testing.T) {
	src := ".entry k { .param .u32 a; .reg .u32 r; .param .u64 b, c; exit; }"
	m := parse(t, ".version 1.3\n.target sm_11\n"+src)
	f := m.Items[2].(*ptx.Func)
	require.True(t, resolve.ParamsInBody(m, f))
	var names []string
	for _, p := range resolve.Params(m, f) {
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{"a", "b", "c"}, names)

	m = parse(t, ".version 1.4\n.target sm_11\n"+src)
	f = m.Items[2].(*ptx.Func)
	assert.False(t, resolve.ParamsInBody(m, f))
	assert.Empty(t, resolve.Params(m, f))
}

func TestTable(t *testing.T) {
	m := parse(t, `
.extern .func f(.param .b32 a);
.func f(.param .b32 b) { .func inner(.param .b64 x); ret; }
.func (.param .b32 r) g() { ret; }
.alias  h , g ;
.func in(.param .b32 a);
.func k() { .alias in, f; ret; }
`)
	table := resolve.NewTable(m)
	f := table.Lookup("f")
	require.NotNil(t, f)
	assert.True(t, f.Func.HasBody, "the definition wins over the declaration")
	assert.Equal(t, diag.Pos{Line: 2, Col: 15}, f.First)
	require.NotNil(t, table.Lookup("inner"))
	require.NotNil(t, table.Lookup("h"))
	assert.Equal(t, "g", table.Lookup("h").Func.Name)
	assert.Equal(t, "f", table.Lookup("in").Func.Name, "an alias in a body")
	assert.Nil(t, table.Lookup("nobody"))
}
