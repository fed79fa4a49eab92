package ptxabi_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
)

// TestDocExample checks that the documentation's example is the one that runs.
func TestDocExample(t *testing.T) {
	doc := must.Read(t, "doc.go")
	m := must.Parse(t, "x.ptx", []byte(worked))
	target := must.Target(t, m.Target)
	prog, err := lower.Module(m, target, lower.Options{})
	require.NoError(t, err)
	for _, text := range []string{worked, prog.String()} {
		var b strings.Builder
		for line := range strings.Lines(text) {
			if line != "\n" {
				line = "\t" + line
			}
			b.WriteString("//" + line)
		}
		assert.Contains(t, string(doc), b.String())
	}
}

// TestLibraryDocument checks that the Go of docs/library.md is what Example_library
// runs, from its first empty line to its last.
func TestLibraryDocument(t *testing.T) {
	readme := must.Read(t, "docs/library.md")
	_, section, ok := strings.Cut(string(readme), "# The Go packages\n")
	require.True(t, ok)
	blocks := regexp.MustCompile("(?s)\n```go\n(.*?)```\n").FindAllStringSubmatch(section, -1)
	require.Len(t, blocks, 1)
	source := must.Read(t, "example_test.go")
	_, body, ok := strings.Cut(string(source), "\nfunc Example_library() {\n")
	require.True(t, ok)
	parts := strings.Split(body, "\n\n")
	require.GreaterOrEqual(t, len(parts), 3)
	var b strings.Builder
	for line := range strings.Lines(parts[1] + "\n") {
		b.WriteString(strings.TrimPrefix(line, "\t"))
	}
	assert.Equal(t, b.String(), blocks[0][1])
}
