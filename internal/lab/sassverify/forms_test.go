package sassverify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/sass"
)

// TestKnown holds that package isa has what each form writes.
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
