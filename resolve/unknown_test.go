package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// TestUnknownFormals checks the places of formals before one whose type or space is not known, and that no place is
// made up for it and those after it.
func TestUnknownFormals(t *testing.T) {
	m, _ := ptx.ParseString("x.ptx", `.version 9.0
.target sm_90
.visible .entry k(.param .b32 a, .param .b64 b, .param .q32 c, .param .b32 d) { ret; }
.visible .func (.param .b32 r) f(.param .b32 a, .param .new .b64 b, .newspace .b32 c, .param .b32 d) { ret; }
.visible .func (.param .q32 r) g(.param .b32 a) { ret; }
.visible .func h(.param .b32 a, .param .q32 b) .abi_preserve 4 { ret; }
.visible .entry l(.param .b32 a, .param .new .b64 b .newer 3) { ret; }
.visible .func (.param .b32 r) m(.param .b32 a, .param .b64 b) .abi_preserve new { ret; }
`)
	require.Len(t, m.Errors, 1)
	sm90 := must.Target(t, "sm_90")
	list, diags := resolve.AssignAll(resolve.Functions(m), sm90)
	assert.Empty(t, diags)
	got := ""
	for _, f := range list {
		got += f.Name + ":"
		for _, p := range f.Places.Params {
			got += " " + p.String()
		}
		for _, p := range f.Places.Results {
			got += " -> " + p.String()
		}
		got += "\n"
	}
	assert.Equal(t, `k: c[0x0][0x210] c[0x0][0x218] none none
f: R4 R6:R7 none none -> R4
g: none -> none
h: none none
l: c[0x0][0x210] c[0x0][0x218]
m: none none -> none
`, got)
}
