package sassverify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/sass"
)

// TestDocument holds testdata/forms.md against the table; PTXABI_UPDATE=1 rewrites it.
func TestDocument(t *testing.T) {
	golden.Hold(t, "testdata/forms.md", document())
}

const documentHead = `# Pseudo-SASS

[docs/sass.md](../../../../docs/sass.md) says where these forms were seen. Destinations come first. d, s and u are registers,
t is one or an immediate, i an immediate, P a predicate, B a barrier, ur a uniform register, [a] a byte address in local
memory, c[b][o] a word or byte of a constant bank. s+1 is the register after s.

| mnemonic | operands | meaning | on |
|---|---|---|---|
`

// document is testdata/forms.md.
func document() string {
	var b strings.Builder
	b.WriteString(documentHead)
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
	return b.String()
}

// TestKnown holds that package isa knows what each form writes.
func TestKnown(t *testing.T) {
	for _, op := range Mnemonics() {
		assert.True(t, isa.OperationOf(op).Effects(&sass.Instr{Op: op}).Sure, op)
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
			if (&form{On: on}).exists(sm) {
				got = append(got, sm)
			}
		}
		assert.Equal(t, want, got, on)
	}
}
