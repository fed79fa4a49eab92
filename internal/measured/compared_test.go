package measured_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/measured"
)

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
		total += c.Signatures
		pieces += c.Pieces
		if c.Bits == 64 {
			release := c.Ptxas[:strings.LastIndex(c.Ptxas, ".")]
			seen[release+" "+c.Target] = c.Signatures
		}
	}
	t.Logf("%d signatures, %d pieces", total, pieces)
	each(t, "signatures", func(t *testing.T, release, target string, _ *measured.File) {
		assert.GreaterOrEqual(t, seen[version(release)+" "+target], least, "%s, %s", release, target)
	})
}

func TestComparedLines(t *testing.T) {
	all, err := measured.Compared(`# what ptxabi measure printed
ptxas     target   bits  seed  signatures  pieces   disputed  differences
11.8.89   sm_35    64    1     1000        46224    0         0
11.8.89   sm_89    32    not compared: no nvdisasm reads its code

ptxas     target   bits  seed  signatures  pieces   disputed  differences
11.8.89   sm_35    64    2     990         40000    10        1
`)
	require.NoError(t, err)
	assert.Equal(t, []measured.Comparison{
		{Ptxas: "11.8.89", Target: "sm_35", Bits: 64, Signatures: 1990, Pieces: 86224, Disputed: 10, Differences: 1, Seeds: []uint64{1, 2}},
		{Ptxas: "11.8.89", Target: "sm_89", Bits: 32, Missing: "no nvdisasm reads its code"},
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
