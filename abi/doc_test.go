package abi_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/sass"
)

const document = "../docs/abi.md"

// documentTables are the tables of the document: the names of the facts that
// stand in each.
var documentTables = map[string][]string{
	"kernels": {
		"kernel parameters", "most kernel parameters", "kernel parameter alignments count from",
		"large kernel parameters", "most large kernel parameters", "large kernel parameters from", "large kernel parameter alignments count from",
		"alignment of a last handle counts in the block",
		"stack pointer of a kernel", "local to generic address",
	},
	"calls": {
		"return address", "direct call", "recursive call", "indirect call", "table of function addresses", "return",
		"return address is loaded by",
		"stack adjustment",
	},
	"budgets":         {"smallest register budget of a function", "registers of a block"},
	"multiprocessors": {"registers of a multiprocessor", "most threads on a multiprocessor", "most blocks on a multiprocessor"},
	"registers": {
		"stack pointer", "callee-saved registers", "caller-saved registers", "highest register", "caller-saved predicates",
		"caller-saved uniform registers", "callee-saved uniform registers", "caller-saved uniform predicates",
		"caller-saved barriers", "callee-saved barriers",
	},
	"accesses": {
		"local loads", "local stores", "kernel parameter loads",
		"kernel parameter loads with a register in the address", "byte selection",
	},
}

// TestDocumentTables holds the tables of the document against the rows; PTXABI_UPDATE=1
// rewrites them.
func TestDocumentTables(t *testing.T) {
	text := readDocument(t)
	seen := 0
	table := regexp.MustCompile(`(?s)<!-- table: (\w+) -->\n(.*?)<!-- end -->\n`)
	got := table.ReplaceAllStringFunc(text, func(match string) string {
		seen++
		name := table.FindStringSubmatch(match)[1]
		facts, ok := documentTables[name]
		require.True(t, ok, "no table %q", name)
		return fmt.Sprintf("<!-- table: %s -->\n%s<!-- end -->\n", name, factTable(t, facts))
	})
	assert.Equal(t, len(documentTables), seen, "each table stands in the document once")
	golden.Hold(t, document, got)
}

// A group is targets of which a table says the same.
type group struct {
	runs  [][]string // names, those that follow each other in the list of targets together
	last  int        // index of the last one in it
	cells []string
}

func (g group) String() string {
	var parts []string
	for _, run := range g.runs {
		if n := len(run); n > 2 {
			run = []string{run[0] + " … " + run[n-1]}
		}
		parts = append(parts, run...)
	}
	return strings.Join(parts, ", ")
}

// groups returns the measured targets, those with equal cells together, in the
// order of the first of each.
func groups(cells func(*abi.Target) []string) []group {
	var all []group
	for i, row := range abi.Targets() {
		c := cells(row)
		at := slices.IndexFunc(all, func(g group) bool { return slices.Equal(g.cells, c) })
		if at < 0 {
			at = len(all)
			all = append(all, group{cells: c, last: -2})
		}
		g := &all[at]
		if g.last != i-1 {
			g.runs = append(g.runs, nil)
		}
		run := &g.runs[len(g.runs)-1]
		*run = append(*run, row.Name)
		g.last = i
	}
	return all
}

// factTable has a line for each fact and a column for each group of targets. A fact that is the same on
// all targets is in a list before.
func factTable(t *testing.T, names []string) string {
	common := make([]string, len(names)) // the value on all targets, if there is one
	for i, name := range names {
		for j, row := range abi.Targets() {
			if v := cell(t, row, name); j == 0 {
				common[i] = v
			} else if v != common[i] {
				common[i] = ""
				break
			}
		}
	}
	var same, differ []string
	for i, name := range names {
		if common[i] != "" {
			same = append(same, "- "+name+": "+common[i]+"\n")
		} else {
			differ = append(differ, name)
		}
	}
	var b strings.Builder
	if same != nil {
		b.WriteString("On all targets:\n\n" + strings.Join(same, "") + "\n")
	}
	columns := groups(func(row *abi.Target) []string {
		cells := make([]string, len(differ))
		for i, name := range differ {
			cells[i] = cell(t, row, name)
		}
		return cells
	})
	b.WriteString("| |")
	for _, g := range columns {
		fmt.Fprintf(&b, " %s |", g)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for i, name := range differ {
		fmt.Fprintf(&b, "| %s |", name)
		for _, g := range columns {
			fmt.Fprintf(&b, " %s |", g.cells[i])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// cell is the value of a fact of a target.
func cell(t *testing.T, row *abi.Target, name string) string {
	facts := row.Facts()
	j := slices.IndexFunc(facts, func(f abi.Fact) bool { return f.Name == name })
	require.GreaterOrEqual(t, j, 0, "no fact %q", name)
	value := facts[j].Value
	switch name {
	case "callee-saved registers":
		value = halves(t, row.Regs.CalleeSaved, row.Regs.Last, "≥ 4")
	case "caller-saved registers":
		value = halves(t, row.Regs.CallerSaved, row.Regs.Last, "< 4")
	}
	if value == "none" {
		return "–"
	}
	return value
}

// halves abbreviates a set that from R32 up to last has those registers whose
// number modulo 8 is as rest says, and requires that it does.
func halves(t *testing.T, set abi.RegSet, last sass.Reg, rest string) string {
	for r := range abi.RegRange(32, last).All() {
		require.Equal(t, (r%8 >= 4) == (rest == "≥ 4"), set.Has(r), "R%d", r)
	}
	return fmt.Sprintf("%s, R*n* for *n* ≥ 32 with *n* mod 8 %s", set.Intersect(abi.RegRange(0, 31)), rest)
}

// TestDocumentSteps requires that the steps that the code names are those of
// the document, in order.
func TestDocumentSteps(t *testing.T) {
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^\*\*([FK]\d+)\.\*\*`).FindAllStringSubmatch(readDocument(t), -1) {
		documented = append(documented, m[1])
	}
	assert.Equal(t, "F1 F2 F3 F4 F5 F6 F7 K1 K2 K3 K4 K5", strings.Join(documented, " "))

	var coded []string
	for _, file := range []string{"assign.go", "kernel.go"} {
		data := must.Read(t, file)
		for _, m := range regexp.MustCompile(`// ([FK]\d+)\b`).FindAllStringSubmatch(string(data), -1) {
			coded = append(coded, m[1])
		}
	}
	assert.Equal(t, documented, coded)
}

// readDocument returns the document with line ends as Git keeps them.
func readDocument(t *testing.T) string {
	data := must.Read(t, document)
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
