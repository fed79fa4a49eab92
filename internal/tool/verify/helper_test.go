package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
)

// TestHelpers compares an object with the module that it was made of at -O0 by 12.4, in which the
// assembler has put weak functions of its own; and with a module without a weak function
// that the object has, which is a difference.
func TestHelpers(t *testing.T) {
	f, err := open("testdata/helpers-sm_80-12.4.cubin")
	require.NoError(t, err)
	src := must.Read(t, "testdata/helpers.ptx")
	r := compareWith(t, f, string(src))
	assert.True(t, r.OK(), r.Text())
	helpers := 0
	for _, fn := range r.Functions {
		if fn.Helper {
			helpers++
			assert.Equal(t, verify.Absent, fn.Status)
		}
	}
	assert.Equal(t, 2, helpers, r.Text())
	assert.Contains(t, r.Text(), "\n2 functions: the assembler's own\n")
	assert.Equal(t, 2, strings.Count(r.TextIn(verify.Style{All: true}), ": the assembler's own"))

	less, rest, _ := strings.Cut(string(src), ".weak .func")
	_, rest, _ = strings.Cut(rest, "\n}\n")
	r = compareWith(t, f, less+rest)
	assert.Equal(t, []string{"x.cubin: function half: x.ptx has no such function"}, r.Findings())
}
