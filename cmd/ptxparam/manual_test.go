package main

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

// TestManual holds docs/man/ptxparam.1 against the help text; PTXABI_UPDATE=1 rewrites
// it.
func TestManual(t *testing.T) {
	const file = "../../docs/man/ptxparam.1"
	want := string(program().Roff())
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if string(data) == want {
		return
	}
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o666))
		return
	}
	t.Errorf("%s is stale; PTXABI_UPDATE=1 rewrites it:\n%s", file, textdiff.Unified(string(data), want, file, "help"))
}
