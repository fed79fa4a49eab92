package check

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/abi"
)

// TestMostPreserved holds that what a compiled function may keep is what the targets
// say that know the directive.
func TestMostPreserved(t *testing.T) {
	known := 0
	for _, target := range abi.Targets() {
		if most := target.Passing.Preserving.Most; most > 0 {
			known++
			assert.Equal(t, mostPreserved, most, target.Name)
		}
	}
	assert.NotZero(t, known)
}
