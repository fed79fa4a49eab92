package main

import (
	"testing"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

// TestManual holds docs/man/ptxparam.1 against the help text; PTXABI_UPDATE=1 rewrites
// it.
func TestManual(t *testing.T) {
	golden.Hold(t, "../../docs/man/ptxparam.1", string(program().Roff()))
}
