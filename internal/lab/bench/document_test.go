package bench_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDocument looks for the benchmarks that README.md lists: each row of the table has a package
// and the names of benchmarks of it.
func TestDocument(t *testing.T) {
	const root = "../../.."
	doc, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(doc), "\n| benchmark | of |\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	quoted := regexp.MustCompile("`([^`]+)`")
	found := 0
	for row := range strings.Lines(table) {
		cells := strings.Split(row, " | ")
		names := quoted.FindAllStringSubmatch(cells[0], -1)
		if len(names) == 0 {
			continue // the rule below the head
		}
		files, err := filepath.Glob(filepath.Join(root, names[0][1], "*_test.go"))
		require.NoError(t, err)
		var source []byte
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			source = append(source, text...)
		}
		for _, name := range names[1:] {
			found++
			assert.True(t, strings.Contains(string(source), "func Benchmark"+name[1]+"("), "%s has no benchmark %s", names[0][1], name[1])
		}
	}
	assert.Positive(t, found, "no benchmark in the table")
}
