package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
)

// TestMostPreserved holds that what a compiled function may keep is what the targets
// say that know the directive.
func TestMostPreserved(t *testing.T) {
	known := 0
	for _, target := range abi.Targets() {
		most := target.Passing.Preserving.Most
		if most == 0 {
			continue
		}
		known++
		for more := range 2 {
			text := fmt.Sprintf(".version 9.4\n.target %s\n.address_size 64\n.visible .func f() .abi_preserve %d\n{\n\tret;\n}\n", target.Name, most+more)
			_, list := check.Text("x.ptx", text, check.Options{Compile: true})
			require.Len(t, list, more, "%s: %v", target.Name, list)
			if more == 1 {
				assert.Contains(t, list[0].Msg, fmt.Sprintf("; %d is the most", most), target.Name)
			}
		}
	}
	assert.NotZero(t, known)
}
