package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestExampleDrift runs the commands of the worked case and holds what they
// print against its text; PTXABI_UPDATE=1 rewrites that.
func TestExampleDrift(t *testing.T) {
	t.Chdir("../../examples/drift")
	data := must.Read(t, "README.md")
	ran := 0
	blocks := regexp.MustCompile("(?s)```console\n.*?```\n")
	got := blocks.ReplaceAllStringFunc(string(data), func(block string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		for line := range strings.Lines(block) {
			call, ok := strings.CutPrefix(line, "$ ptxabi ")
			if !ok {
				continue
			}
			ran++
			r := ptxabi(nil, strings.Fields(call)...)
			assert.Contains(t, []int{0, 1}, r.status, r.stderr)
			differs := !strings.Contains(call, "-type Args ")
			assert.Equal(t, differs, r.status == 1, line)
			assert.Equal(t, differs, strings.Contains(r.stdout, "\n  > 0 "), line)
			assert.NotContains(t, r.stdout, "the parameters have 16 bytes", "the size alone says nothing")
			b.WriteString(line + r.stdout + r.stderr)
		}
		return b.String() + "```\n"
	})
	assert.Equal(t, 3, ran)
	if got == string(data) {
		return
	}
	if golden.Update() {
		require.NoError(t, os.WriteFile("README.md", []byte(got), 0o666))
		return
	}
	t.Errorf("examples/drift/README.md is stale; PTXABI_UPDATE=1 rewrites it:\n%s", textdiff.Unified(string(data), got, "README.md", "output"))
}
