package simtest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestSimulated reads the table of the programs that were run beyond the ordinary tests:
// none is counted twice, and each defect has a test that holds it.
func TestSimulated(t *testing.T) {
	table := must.Read(t, "testdata/simulated.txt")
	tests := testsHere(t)
	type span struct{ first, end uint64 }
	seen := make(map[string][]span)
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		require.Len(t, f, 9, line)
		require.Contains(t, []string{"TestSimulation", "TestFlow"}, f[0], line)
		for _, number := range f[2:6] {
			if number != "-" {
				_, err := strconv.ParseUint(number, 10, 64)
				require.NoError(t, err, line)
			}
		}
		if f[8] != "-" { // of rules that were changed after it
			assert.Contains(t, tests, f[8], line)
			continue
		}
		n, err := strconv.ParseUint(f[2], 10, 64)
		require.NoError(t, err, line)
		for _, text := range strings.Split(f[1], "+") {
			first, err := strconv.ParseUint(text, 10, 64)
			require.NoError(t, err, line)
			s := span{first, first + n/uint64(1+strings.Count(f[1], "+"))}
			for _, o := range seen[f[0]] {
				assert.False(t, s.first < o.end && o.first < s.end, "seeds from %d on stand twice", first)
			}
			seen[f[0]] = append(seen[f[0]], s)
		}
	}
}

// testsHere returns the names of this package's tests.
func testsHere(t *testing.T) []string {
	t.Helper()
	files := must.Glob(t, "*_test.go")
	var list []string
	for _, file := range files {
		src := must.Read(t, file)
		for line := range strings.Lines(string(src)) {
			if name, ok := strings.CutPrefix(line, "func Test"); ok {
				name, _, _ = strings.Cut(name, "(")
				list = append(list, "Test"+name)
			}
		}
	}
	slices.Sort(list)
	return list
}
