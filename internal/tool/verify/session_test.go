package verify_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestSessions runs testdata/session: "CUBIN MODULE" prints what is found, "all CUBIN MODULE" the report. A module
// without a head gets one.
func TestSessions(t *testing.T) {
	golden.Sessions(t, "testdata/session", "../../..", func(t *testing.T, args []string, _ []byte) (string, string, int) {
		all := args[0] == "all"
		if all {
			args = args[1:]
		}
		f, err := cubin.Open(must.Read(t, args[0]))
		require.NoError(t, err)
		module := must.Read(t, args[1])
		if !bytes.Contains(module, []byte(".version")) {
			module = append([]byte(".version 7.0\n.target sm_80\n.address_size 64\n"), module...)
		}
		r := compareWith(t, f, string(module))
		findings := strings.Join(r.Findings(), "\n")
		require.Equal(t, r.OK(), findings == "")
		if all {
			return r.Text(), "", 0
		}
		if r.OK() {
			findings = "same"
		}
		return findings + "\n", "", 0
	}, nil)
}
