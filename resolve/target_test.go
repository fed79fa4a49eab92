package resolve_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/resolve"
)

// TestRunsOn holds Arch.RunsOn against what ptxas 13.0 did with a module of
// each .target for each of 18 architectures.
func TestRunsOn(t *testing.T) {
	all := strings.Fields("sm_80 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_110 sm_110a sm_110f" +
		" sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f")
	from := func(first string) []string { return all[slices.Index(all, first):] }
	accepted := map[string][]string{
		"sm_90":   from("sm_90"),
		"sm_90a":  {"sm_90a"},
		"sm_100":  from("sm_100"),
		"sm_100a": {"sm_100a"},
		"sm_100f": {"sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f"},
		"sm_103":  from("sm_103"),
		"sm_103a": {"sm_103a"},
		"sm_103f": {"sm_103", "sm_103a", "sm_103f"},
		"sm_110f": {"sm_110", "sm_110a", "sm_110f"},
		"sm_120":  from("sm_120"),
		"sm_120a": {"sm_120a"},
		"sm_120f": {"sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"},
		"sm_121f": {"sm_121", "sm_121a", "sm_121f"},
		// 12.9, which has no sm_110, and 13.5, which calls sm_101 so.
		"sm_101a": {"sm_110a"},
		"sm_101f": {"sm_110", "sm_110a", "sm_110f"},
	}
	for module, want := range accepted {
		own, err := resolve.ParseArch(module)
		require.NoError(t, err)
		var got []string
		for _, name := range all {
			to, err := resolve.ParseArch(name)
			require.NoError(t, err)
			if own.RunsOn(to) == nil {
				got = append(got, name)
			}
		}
		assert.Equal(t, want, got, module)
	}
}
