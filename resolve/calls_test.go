package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// TestCalls lists the calls of a body: of functions, aliases, through prototypes, lists and
// tables, with variadic tails, in blocks that hide names, and such that do not fit.
func TestCalls(t *testing.T) {
	m := parsed(string(must.Read(t, "testdata/calls.ptx")))
	var b strings.Builder
	for _, c := range resolve.NewTable(m).Calls(m.Items[9].(*ptx.Func)) {
		name := "?"
		if c.Callee != nil {
			name = c.Callee.Name
		}
		fmt.Fprintf(&b, "%s: %v", name, c.Signature)
		if c.Err != nil {
			fmt.Fprintf(&b, "; %v", strings.ReplaceAll(c.Err.Error(), "\n", "; "))
		}
		b.WriteByte('\n')
	}
	golden.Hold(t, "testdata/calls.txt", b.String())
}
