package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// A fuzzTarget is one of the module's.
type fuzzTarget struct{ pkg, name string }

// fuzzTargets finds them in the tests' sources.
func fuzzTargets(t *testing.T) []fuzzTarget {
	t.Helper()
	var all []fuzzTarget
	target := regexp.MustCompile(`(?m)((?:^// .*\n)*)^func (Fuzz\w+)\(f \*testing\.F\)`)
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		for _, m := range target.FindAllStringSubmatch(readText(t, name), -1) {
			assert.True(t, strings.HasPrefix(m[1], "// "+m[2]+" "), "%s: %s has no comment that begins with its name", name, m[2])
			all = append(all, fuzzTarget{"./" + filepath.ToSlash(filepath.Dir(name)), m[2]})
		}
		return nil
	}))
	slices.SortFunc(all, func(a, b fuzzTarget) int { return strings.Compare(a.pkg+" "+a.name, b.pkg+" "+b.name) })
	require.GreaterOrEqual(t, len(all), 8)
	return all
}

// TestFuzzTargets holds the list of fuzz targets in the workflow against those that there are; PTXABI_UPDATE=1 rewrites it.
func TestFuzzTargets(t *testing.T) {
	t.Chdir("../..")
	var workflow strings.Builder
	for _, f := range fuzzTargets(t) {
		fmt.Fprintf(&workflow, "          - {package: %s, target: %s}\n", f.pkg, f.name)
	}
	between(t, ".github/workflows/fuzz.yml", "        include:\n", "    runs-on:", workflow.String())
}

// between holds the part of a file between two texts against what it should be.
func between(t *testing.T, file, begin, end, want string) {
	t.Helper()
	text := readText(t, file)
	head, rest, ok := strings.Cut(text, begin)
	require.True(t, ok, file)
	_, tail, ok := strings.Cut(rest, end)
	require.True(t, ok, file)
	golden.Hold(t, file, head+begin+want+end+tail)
}

// TestActions holds that the workflows name each action by the hash of its commit, which nothing can move.
func TestActions(t *testing.T) {
	files := must.Glob(t, "../../.github/workflows/*.yml")
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v\d`)
	for _, file := range files {
		for line := range strings.Lines(readText(t, file)) {
			if _, action, ok := strings.Cut(line, "uses: "); ok {
				assert.Regexp(t, pinned, action, file)
			}
		}
	}
}
