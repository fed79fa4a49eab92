package sass

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVocabulary holds the table that Verify uses against the documentation.
func TestVocabulary(t *testing.T) {
	src, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, text, ok := strings.Cut(string(src), "//\tmnemonic ")
	require.True(t, ok)
	head, rest, _ := strings.Cut(text, "\n")
	head = "mnemonic " + head
	args, meaning, on := strings.Index(head, "operands"), strings.Index(head, "meaning"), strings.LastIndex(head, "on")
	var documented []form
	for line := range strings.Lines(rest) {
		line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "//\t")
		if !ok {
			break
		}
		var op string
		for i, name := range strings.Fields(line[:args]) { // LDC.U8 .S8
			if i == 0 {
				op = name
			} else {
				name = op[:strings.Index(op, ".")] + name
			}
			documented = append(documented, form{name, strings.TrimSpace(line[args:meaning]), line[on:]})
		}
	}
	assert.Equal(t, vocabulary[:], documented)
}

// TestExists checks the notations for ranges of architectures.
func TestExists(t *testing.T) {
	tests := map[string][]int{
		"all":                           {35, 62, 70, 89, 90, 100, 107, 120},
		"to sm_62":                      {35, 62},
		"from sm_70":                    {70, 89, 90, 100, 107, 120},
		"sm_70 to sm_89":                {70, 89},
		"from sm_100, but sm_107":       {100, 120},
		"to sm_62, sm_107, from sm_120": {35, 62, 107, 120},
	}
	for on, want := range tests {
		var got []int
		for _, sm := range tests["all"] {
			if (&form{on: on}).exists(sm) {
				got = append(got, sm)
			}
		}
		assert.Equal(t, want, got, on)
	}
}
