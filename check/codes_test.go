package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

const exampleHead = ".version 8.3\n.target sm_90\n.address_size 64\n"

// TestExamples holds each code to its example: judged as it says, it draws the
// code at the severity that is stated, and no other code but the one it names.
func TestExamples(t *testing.T) {
	for _, code := range check.Codes() {
		t.Run(string(code), func(t *testing.T) {
			e, ok := check.Explain(code)
			require.True(t, ok)
			require.NotEmpty(t, e.Rule)
			require.NotEmpty(t, e.Mend)
			require.NotEmpty(t, e.Source)
			if len(e.Modules) > 0 {
				var mods []*ptx.Module
				for i, src := range e.Modules {
					m, err := ptx.Parse([]string{"a.ptx", "b.ptx", "c.ptx"}[i], []byte(exampleHead+src))
					require.NoError(t, err)
					mods = append(mods, m)
				}
				drawn(t, e, check.Link(mods))
				return
			}
			require.NotEmpty(t, e.Example)
			src := e.Example
			if !strings.HasPrefix(src, ".version") {
				src = exampleHead + src
			}
			m, err := ptx.Parse("example.ptx", []byte(src))
			require.NoError(t, err)
			drawn(t, e, check.Module(m, check.Options{Compile: e.Compile}))
		})
	}
}

func drawn(t *testing.T, e check.Explanation, all diag.List) {
	t.Helper()
	found := false
	for _, x := range all {
		if x.Code == diag.Code(e.Code) {
			found = true
			assert.Equal(t, e.Severity, x.Severity)
			assert.True(t, x.Pos.IsValid(), "a complaint has a place")
			continue
		}
		assert.Contains(t, e.Also, x.Code, "the example draws another code: %v", x)
	}
	assert.True(t, found, "the example does not draw %s:\n%v", e.Code, all)
}

func TestExplainUnknown(t *testing.T) {
	_, ok := check.Explain("NoSuchCode")
	assert.False(t, ok)
}
