package measured_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
)

var codeAt = regexp.MustCompile(`^/\*([0-9a-f]+)\*/`)

// copyAt returns the spellings of the offset at which a kernel's copy of a
// function begins, which stands after the kernel's EXIT: of the first
// instruction, and of a word for the scheduler that may stand before it.
func copyAt(t require.TestingT, lines []string, exit int) []string {
	for _, line := range lines[exit+1:] {
		if m := codeAt.FindStringSubmatch(line); m != nil {
			at, err := strconv.ParseInt(m[1], 16, 64)
			require.NoError(t, err)
			return []string{fmt.Sprintf(", %#x ;", at), fmt.Sprintf(", %#x ;", at-8)}
		}
	}
	require.Fail(t, "no code after EXIT")
	return nil
}

// TestPointed: without -c a pointer to a function is the offset of its copy in
// the kernel's code where there is one kernel, and an offset in constant bank 2
// where there are more. The copy is called as the convention says, by name too,
// but for the return address, which is an offset.
func TestPointed(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		r := p.row
		for _, options := range []string{"-O0", "-O3"} {
			for _, module := range []string{"called", "called-two", "uncalled", "uncalled-two"} {
				text := module + ": " + p.String() + " " + options
				s := p.section(t, "pointed", module, options)
				require.Empty(t, s.Refusal(), text)
				several, called := strings.HasSuffix(module, "-two"), strings.HasPrefix(module, "called")
				lines := within(s, "k")
				exit := index(lines, "EXIT")
				require.Positive(t, exit, text)
				if several && !called && exit == len(lines)-1 {
					continue // a copy that nothing calls may be left out
				}
				given := false
				for _, at := range copyAt(t, lines, exit) {
					given = given || index(lines[:exit], at) >= 0
				}
				assert.Equal(t, !several, given, "the pointer is the offset of the copy: %s", text)
				assert.Equal(t, several && called, index(lines, "c[0x2][") >= 0, "the pointer is an offset in bank 2: %s", text)
				if called {
					checkPointedByName(t, r, lines, exit, text)
				}
				if r.Regs.HasRetAddr() {
					assert.GreaterOrEqual(t, index(lines[exit:], "RET.REL.NODEC R20 `(k)"), 0, text)
				}
			}
		}
	})
}

// checkPointedByName holds the call by name of a function whose address is
// taken, too, against the convention.
func checkPointedByName(t require.TestingT, r *abi.Target, lines []string, exit int, text string) {
	call := index(lines, machine.Of(r.SM).Spelling.CallSelf+" `($k$pointed)")
	require.Positive(t, call, text)
	require.Less(t, call, exit, text)
	for _, reg := range []string{" R4,", " R6,", " R7,"} {
		assert.GreaterOrEqual(t, index(lines[:call], reg), 0, "%s: %s", reg, text)
	}
	if !r.Regs.HasRetAddr() {
		return
	}
	m := regexp.MustCompile(`R20, (0x[0-9a-f]+) ;`).FindStringSubmatch(strings.Join(lines[:call], "\n"))
	require.NotNil(t, m, text)
	after := lines[call+1]
	if options := codeAt.FindStringSubmatch(after); assert.NotNil(t, options, text) {
		back, err := strconv.ParseInt(m[1], 0, 64)
		require.NoError(t, err)
		at, err := strconv.ParseInt(codeAt.FindStringSubmatch(lines[call])[1], 16, 64)
		require.NoError(t, err)
		assert.Equal(t, at+16, back, "the return address is the offset after the call: %s", text)
	}
	assert.GreaterOrEqual(t, index(lines[:call], " R21, "), 0, text)
}
