package golden

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
)

// Hold holds a file against the text that a test makes. Where [Update] says so, a file that differs
// is rewritten.
func Hold(t testing.TB, path, got string) {
	t.Helper()
	have, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	switch {
	case err == nil && string(have) == got:
	case Update():
		if err := write(path, []byte(got)); err != nil {
			t.Fatal(err)
		}
	default:
		test, _, _ := strings.Cut(t.Name(), "/")
		t.Errorf("%s is stale; %s=1 go test -run '^%s$' rewrites it:\n%s", path, variable, test, textdiff.Unified(string(have), got, path, "got"))
	}
}
