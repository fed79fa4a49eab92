package lower_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// opcodes counts the instructions of a text by the first part of their mnemonics, and all
// as "code".
func opcodes(text []byte) map[string]int {
	n := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, " ;") {
			n["code"]++
		}
		if f := strings.Fields(line); len(f) > 0 && strings.ToUpper(f[0]) == f[0] {
			op, _, _ := strings.Cut(f[0], ".")
			n[op]++
		}
	}
	return n
}

// TestNoPass names a pass that is none.
func TestNoPass(t *testing.T) {
	target := must.Target(t, "sm_80")
	const src = ".version 8.0\n.target sm_80\n.address_size 64\n"
	m, err := ptx.ParseString("x.ptx", src)
	require.NoError(t, err)
	opts := lower.Options{Without: []lower.Pass{lower.Forwarding, "constants"}}
	const want = `lower: no pass "constants"; the passes are ["forwarding" "gathering" "coalescing" "pairing"]`
	require.EqualError(t, lower.Write(io.Discard, src, opts), want)
	_, err = lower.Module(m, target, opts)
	require.EqualError(t, err, want)
}

// TestPassesOnRealModules counts what each pass saves on the real modules: more instructions and accesses to local
// memory without it. A table has the numbers.
func TestPassesOnRealModules(t *testing.T) {
	effort.NeedLong(t, "it lowers all real modules six times")
	count := func(opts lower.Options) map[string]int {
		all := make(map[string]int)
		for _, file := range effort.RealModules(t, "..") {
			src := must.Read(t, file)
			var text bytes.Buffer
			require.NoError(t, lower.Write(&text, string(src), opts), file)
			for op, n := range opcodes(text.Bytes()) {
				all[op] += n
			}
		}
		return all
	}
	with := count(lower.Options{})
	locals := func(n map[string]int) int { return n["LDL"] + n["STL"] }
	table := fmt.Sprintf("| pass | instructions | accesses to local memory |\n| --- | ---: | ---: |\n| with all | %d | %d |\n", with["code"], locals(with))
	row := func(name string, p []lower.Pass) {
		n := count(lower.Options{Without: p})
		table += fmt.Sprintf("| %s | %+d | %+d |\n", name, n["code"]-with["code"], locals(n)-locals(with))
		assert.Positive(t, n["code"]-with["code"]+locals(n)-locals(with), "%s is worth nothing", name)
	}
	for _, p := range lower.Passes() {
		row("without "+string(p), []lower.Pass{p})
	}
	row("without any", lower.Passes())
	golden.Hold(t, "testdata/passes.md", table)
}
