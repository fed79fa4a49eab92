package simtest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/sass"
)

// TestDefectsAreNoticed breaks what was lowered and looks whether executing it
// shows that. It is the test of the test.
func TestDefectsAreNoticed(t *testing.T) {
	mod := must.Parse(t, "defects.ptx", []byte(defectModule))
	for _, target := range distinctTargets() {
		n, err := runModule(mod, target, 1, nil, nil)
		require.NoError(t, err, target.Name)
		require.Equal(t, n.observed, n.defined)
		for _, d := range defects {
			_, err := runModule(mod, target, 1, nil, d.change)
			if onlyNew[d.name] && !target.Regs.HasRetAddr() {
				assert.ErrorIs(t, err, errUnchanged, "%s on %s", d.name, target.Name)
				continue
			}
			if assert.Error(t, err, "%s on %s", d.name, target.Name) {
				assert.False(t, errors.Is(err, errUnchanged), "%s on %s: there is nothing to break", d.name, target.Name)
				if target.Name == "sm_80" {
					t.Logf("%s: %v", d.name, err)
				}
			}
		}
	}
}

// TestEveryInstructionMatters leaves out one instruction after the other: what
// was lowered has none that could be missing unnoticed.
func TestEveryInstructionMatters(t *testing.T) {
	mod := must.Parse(t, "defects.ptx", []byte(defectModule))
	for _, target := range distinctTargets() {
		for i := 0; ; i++ {
			text := ""
			_, err := runModule(mod, target, 1, nil, func(p *sass.Program) bool {
				list := mattering(p, "inner")
				if i == len(list) {
					return false
				}
				text = list[i].String()
				nothing(list[i])
				return true
			})
			if errors.Is(err, errUnchanged) {
				require.Greater(t, i, 40, target.Name)
				break
			}
			assert.Error(t, err, "%s without %q", target.Name, text)
		}
	}
}
