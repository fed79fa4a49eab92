package measured_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
)

// rare are the uniform registers and barriers that the document says were not
// seen in use but on sm_87.
var rare = regexp.MustCompile(`\b(UR[0-3]|B1[2-5])\b`)

// TestRareRegisters looks for them in the code of all recordings.
func TestRareRegisters(t *testing.T) {
	lines, found := 0, 0
	eachSection(t, func(r *recording) {
		for _, line := range r.Lines {
			lines++
			if !strings.HasPrefix(line, "#") && rare.MatchString(line) {
				found++
				assert.Equal(t, []string{"sm_87"}, r.Targets, "%s: %s", r, line)
			}
		}
	})
	assert.Greater(t, lines, 10_000)
	assert.Positive(t, found)
}

var address = regexp.MustCompile(`^\s*(/\*[0-9a-f]+\*/)?\s*`)

// entrySequence is the entry sequence of functions in a row, as instructions.
func entrySequence(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, "; ") {
		if strings.HasPrefix(part, "BMOV.32.CLEAR B(n)") {
			for n := 1; n <= 15; n++ {
				list = append(list, fmt.Sprintf("BMOV.32.CLEAR B%d, B%d", n, n-1))
			}
			continue
		}
		list = append(list, part)
	}
	return list
}

// checkEntry derives what functions and kernels begin with from whole
// listings: callees, callers and kernels with and without calls, and functions
// at every level.
func checkEntry(t require.TestingT, p *pair) {
	checkEntryOf(t, p, p.section(t, "signatures", "signatures", "-c -O1"), "-O1")
	for _, options := range []string{"-c -O0", "-c -g -O0", "-c -O2", "-c -O3", "-c -O3 -maxrregcount 24"} {
		checkEntryOf(t, p, p.section(t, "levels", "levels", options), options)
	}
}

func checkEntryOf(t require.TestingT, p *pair, s *measured.Section, options string) {
	begins, err := derive(s, "entry", func() (map[string][]string, error) {
		all := make(map[string][]string)
		for _, text := range strings.Split(s.Code(), ".text.")[1:] {
			name, body, _ := strings.Cut(text, "\n")
			all[name] = firstInstructions(body, entryLength)
		}
		return all, nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, begins)
	entry := machine.Of(p.row.SM).Spelling.Entry
	if entry == "" {
		rare, err := derive(s, "rare", func() (bool, error) { return rare.MatchString(s.Code()), nil })
		require.NoError(t, err)
		assert.False(t, rare, "%s %s", p, options)
		return
	}
	want := entrySequence(entry)
	m := must.Parse(t, "entry.ptx", []byte(".version 8.0\n.target "+p.row.Name+"\n.address_size 64\n.func f() { ret; }"))
	lowered, err := lower.Module(m, p.row, lower.Options{})
	require.NoError(t, err)
	var code strings.Builder
	for _, it := range lowered.Funcs[0].Items {
		fmt.Fprintln(&code, &it.Instr)
	}
	assert.Equal(t, want, firstInstructions(code.String(), len(want)))
	for name, begin := range begins {
		assert.Equal(t, want, begin[:min(len(want), len(begin))], "%s %s %s", p, name, options)
	}
}

// entryLength is how many instructions of each function are looked at, at most.
const entryLength = 30

// firstInstructions returns the first n instructions of a function's listing,
// without addresses and with all labels called "after".
func firstInstructions(body string, n int) []string {
	var list []string
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(address.ReplaceAllString(line, ""))
		if !strings.HasSuffix(line, ";") || len(list) == n {
			continue
		}
		line = strings.TrimSpace(strings.TrimSuffix(line, ";"))
		if head, _, ok := strings.Cut(line, "BRA `"); ok {
			line = head + "BRA after"
		}
		list = append(list, line)
	}
	return list
}
