package isa

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

// TestDocument holds testdata/operations.md against the table; PTXABI_UPDATE=1 rewrites it.
func TestDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString(operationsHead)
	for _, o := range operations {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", o.names, files[o.writes], memories[o.moves], rules[o.widths])
	}
	golden.Hold(t, "testdata/operations.md", b.String())
}

const operationsHead = `# Instructions of a disassembly

annotate and the comparison with the assembler's listings know two things about all other instructions: whether they
write registers, and how many registers each operand has. The rows are from NVIDIA's list of instructions, in the
documentation of its binary utilities, and from the disassembly of modules of our own; widths are from the latter alone.
An instruction that is in no row may write any uniform register, and several registers from each of its operands on.

| operations | write | memory | registers of an operand |
|---|---|---|---|
`

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

// TestOperations holds that no name stands twice.
func TestOperations(t *testing.T) {
	seen := make(map[string]bool)
	for _, o := range operations {
		for _, name := range strings.Fields(o.names) {
			assert.False(t, seen[name], name)
			seen[name] = true
		}
	}
}
