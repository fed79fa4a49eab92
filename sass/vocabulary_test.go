package sass

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestDocument holds testdata/operations.md against the tables; PTXABI_UPDATE=1 rewrites it.
func TestDocument(t *testing.T) {
	const file = "testdata/operations.md"
	got := operationsDocument()
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
	}
	want := must.Read(t, file)
	if string(want) != got {
		t.Errorf("%s is stale; PTXABI_UPDATE=1 go test ./sass -run Document rewrites it:\n%s", file, textdiff.Unified(string(want), got, file, "tables"))
	}
}

const pseudoHead = `# Instructions

Package sass makes both tables from its own.

## Pseudo-SASS

[docs/sass.md](../../docs/sass.md) says where these forms were seen. Destinations come first. d, s and u are registers,
t is one or an immediate, i an immediate, P a predicate, B a barrier, ur a uniform register, [a] a byte address in local
memory, c[b][o] a word or byte of a constant bank. s+1 is the register after s.

| mnemonic | operands | meaning | on |
|---|---|---|---|
`

const operationsHead = `
## A disassembly

annotate and the comparison with the assembler's listings know two things about all other instructions: whether they
write registers, and how many registers each operand has. The rows are from NVIDIA's list of instructions, in the
documentation of its binary utilities, and from the disassembly of modules of our own; widths are from the latter alone.
An instruction that is in no row may write any uniform register, and several registers from each of its operands on.

| operations | write | memory | registers of an operand |
|---|---|---|---|
`

// operationsDocument is testdata/operations.md.
func operationsDocument() string {
	var b strings.Builder
	b.WriteString(pseudoHead)
	code := func(s string) string {
		const quote = "`"
		switch {
		case s == "":
			return ""
		case strings.Contains(s, quote):
			return quote + quote + " " + s + " " + quote + quote
		}
		return quote + s + quote
	}
	for _, f := range vocabulary {
		means := strings.ReplaceAll(f.Means, "|", `\|`) // a bar ends a cell
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(f.Op), code(f.Args), means, f.On)
	}
	b.WriteString(operationsHead)
	for _, o := range operations {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", o.names, files[o.writes], memories[o.moves], rules[o.widths])
	}
	return b.String()
}

var (
	files    = [...]string{noFile: "nothing", generalFile: "registers", uniformFile: "uniform registers", barrierFile: "a barrier or a register"}
	memories = [...]string{noMemory: "", loads: "load", stores: "store", atomics: "both"}
	rules    = [...]string{
		oneWord: "one; not known with a modifier that names a width", pairs: "two with .64, .U64 or .S64, else one", twoWords: "two",
		comparesTwo: "two; the result has one", funnel: "one; .U64 and .S64 are two operands together", conversion: "by its two formats",
		data: "by its modifiers", product: "one; the sum two with .WIDE, and with .HI from sm_70 on", matches: "two with .64; the result has one",
		twoResults: "the result has two", clock: "the result has two without .32", unmeasured: "not known",
	}
)

// TestOperations holds that no name stands twice, and that all that pseudo-SASS has is known.
func TestOperations(t *testing.T) {
	seen := make(map[string]bool)
	for _, o := range operations {
		for _, name := range strings.Fields(o.names) {
			assert.False(t, seen[name], name)
			seen[name] = true
		}
	}
	for _, op := range Mnemonics() {
		name, _, _ := strings.Cut(op, ".")
		assert.True(t, seen[name], op)
	}
}

// TestExists checks the notations for ranges of architectures.
func TestExists(t *testing.T) {
	tests := map[string][]int{
		"all":                           {35, 62, 70, 89, 90, 100, 107, 120},
		"to sm_62":                      {35, 62},
		"from sm_70":                    {70, 89, 90, 100, 107, 120},
		"sm_70 to sm_89":                {70, 89},
		"from sm_100, not sm_107":       {100, 120},
		"to sm_62, sm_107, from sm_120": {35, 62, 107, 120},
	}
	for on, want := range tests {
		var got []int
		for _, sm := range tests["all"] {
			if (&Form{On: on}).Exists(sm) {
				got = append(got, sm)
			}
		}
		assert.Equal(t, want, got, on)
	}
}
