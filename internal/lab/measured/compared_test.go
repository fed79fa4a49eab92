package measured_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/measured"
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
	all, err := measured.Compared(string(data))
	require.NoError(t, err)
	seen := make(map[string]int)
	total, pieces := 0, 0
	for _, c := range all {
		assert.Zero(t, c.Differences, "ptxas %s, %s", c.Ptxas, c.Target)
		if c.Level == "" {
			total += c.Signatures
			pieces += c.Pieces
		}
		if c.Bits == 64 {
			release := c.Ptxas[:strings.LastIndex(c.Ptxas, ".")]
			seen[release+" "+c.Target+c.Level] = c.Signatures
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
	t.Logf("%d signatures, %d pieces", total, pieces)
	for _, p := range pairs(t) {
		assert.GreaterOrEqual(t, seen[version(p.release)+" "+p.target], least, p)
	}
}

func TestComparedLines(t *testing.T) {
	all, err := measured.Compared(`# what ptxabi measure printed
ptxas     target   bits  seed  signatures  pieces   disputed  differences
11.8.89   sm_35    64    1     1000        46224    0         0
11.8.89   sm_89    32    not compared: no nvdisasm reads its code

ptxas     target   bits  seed  signatures  pieces   disputed  differences
11.8.89   sm_35    64    2     990         40000    10        1
11.8.89   sm_35    64    1     100         4000     0         0            -O0
`)
	require.NoError(t, err)
	assert.Equal(t, []measured.Comparison{
		{Ptxas: "11.8.89", Target: "sm_35", Bits: 64, Signatures: 1990, Pieces: 86224, Disputed: 10, Differences: 1, Seeds: []uint64{1, 2}},
		{Ptxas: "11.8.89", Target: "sm_89", Bits: 32, Missing: "no nvdisasm reads its code"},
		{Ptxas: "11.8.89", Target: "sm_35", Bits: 64, Level: "-O0", Signatures: 100, Pieces: 4000, Seeds: []uint64{1}},
	}, all)
	for text, want := range map[string]string{
		"\n11.8.89 sm_35 64 1 1000 46224 0":                      `line 2: found "11.8.89 sm_35 64 1 1000 46224 0", expected a line of ptxabi measure`,
		"11.8.89 sm_35 64 1 x 46224 0 0":                         `line 1: found "11.8.89 sm_35 64 1 x 46224 0 0", expected numbers: strconv.Atoi: parsing "x": invalid syntax`,
		"11.8.89 sm_35 64 1 5 5 0 0\n11.8.89 sm_35 64 1 5 5 0 0": "line 2: seed 1 of 11.8.89 for sm_35 stands twice",
	} {
		_, err := measured.Compared(text)
		assert.EqualError(t, err, want)
	}
}
