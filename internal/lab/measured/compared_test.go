package measured_test

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leastAt0 is how many have been compared at -O0, at the least.
const leastAt0 = 200

// least is how many random signatures have been compared with every release for
// every target.
const least = 5000

// TestCompared holds that random signatures were compared with every release
// that there are recordings of, for every target of it, without a difference.
func TestCompared(t *testing.T) {
	data, err := fs.ReadFile(recordings(), "compared.txt")
	require.NoError(t, err)
	seen := make(map[string]int)
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line) // ptxas target bits seed signatures pieces disputed differences, and a level but for -O1
		if len(f) == 0 || f[0] == "#" || f[0] == "ptxas" || strings.Contains(line, "not compared: ") {
			continue
		}
		require.GreaterOrEqual(t, len(f), 8, line)
		assert.Equal(t, "0", f[7], line)
		n, err := strconv.Atoi(f[4])
		require.NoError(t, err, line)
		if f[2] == "64" {
			seen[version("cuda-"+f[0][:strings.LastIndex(f[0], ".")])+" "+f[1]+strings.Join(f[8:], "")] += n
		}
	}
	// Of each family, of each generation, with the oldest or the newest release
	// that makes code for it.
	for _, pair := range []string{
		"11.8 sm_35", "11.8 sm_50", "11.8 sm_61", "11.8 sm_70", "11.8 sm_75", "11.8 sm_80", "12.4 sm_90", "12.8 sm_100", "12.8 sm_120",
		"13.0 sm_110", "13.5 sm_75", "13.5 sm_90a", "13.5 sm_100", "13.5 sm_103", "13.5 sm_107", "13.5 sm_110", "13.5 sm_120", "13.5 sm_121",
	} {
		assert.GreaterOrEqual(t, seen[pair+"-O0"], leastAt0, "%s at -O0", pair)
	}
	for _, p := range pairs(t) {
		assert.GreaterOrEqual(t, seen[version(p.release)+" "+p.target], least, p)
	}
}
