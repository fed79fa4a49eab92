package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// eachLive calls f for each toolkit that is found and each of its targets that is
// measured, and skips the test where there is no toolkit.
func eachLive(t *testing.T, f func(tk *oracle.Toolkit, target string)) {
	t.Helper()
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound)
	}
	for _, tk := range tools.Toolkits {
		targets := tk.Targets
		if testing.Short() && len(targets) > 2 {
			targets = []string{targets[0], targets[len(targets)-1]}
		}
		for _, target := range targets {
			if _, err := abi.Lookup(target); err != nil {
				t.Logf("%v: %v", tk, err)
				continue
			}
			f(tk, target)
		}
	}
}

// TestLive assembles modules with each toolkit that is found, as one of several
// and as a whole program: with the cubin of its own it has no difference.
func TestLive(t *testing.T) {
	eachLive(t, func(tk *oracle.Toolkit, target string) {
		for _, module := range []string{"../../image/cubin/testdata/aliases.ptx", "../../image/cubin/testdata/opaque.ptx", "testdata/arrays.ptx"} {
			body := must.Read(t, module)
			_, rest, _ := strings.Cut(string(body), ".address_size 64\n")
			if rest == "" {
				rest = string(body)
			}
			src := fmt.Sprintf(".version %d.%d\n.target %s\n.address_size 64\n%s", tk.PTX.Major, tk.PTX.Minor, target, rest)
			for _, options := range [][]string{{"-c"}, nil} {
				data, err := tk.Assemble(t.Context(), src, target, options...)
				require.NoError(t, err)
				f, err := cubin.Open(data)
				require.NoError(t, err)
				r := compareWith(t, f, src)
				assert.True(t, r.OK(), "%v %s %v\n%s", tk, target, options, r.Text())
			}
		}
	})
}
