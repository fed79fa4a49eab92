package annotate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestSessions runs testdata/session: "MODULE TARGET FUNCTION CODE" prints the code of a function of the module, with its notes.
func TestSessions(t *testing.T) {
	golden.Sessions(t, "testdata/session", "../../..", func(t *testing.T, args []string, _ []byte) (string, string, int) {
		module, target, fn, code := must.Read(t, args[0]), args[1], args[2], args[3]
		head := "\t.target " + target + "\n.text." + fn + ":\n"
		listing := head
		for line := range strings.SplitSeq(code, "; ") {
			if !strings.HasSuffix(line, ":") {
				line = "\t" + line + " ;"
			}
			listing += line + "\n"
		}
		out, err := annotated([]byte(listing), append([]byte(".version 8.8\n.target "+target+"\n.address_size 64\n"), module...), false)
		require.NoError(t, err)
		return strings.ReplaceAll(strings.TrimPrefix(string(out), head), "\n\t", "\n")[1:], "", 0
	}, nil)
}
