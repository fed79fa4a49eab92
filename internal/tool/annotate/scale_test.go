package annotate_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
)

// TestShapes annotates listings that are hard on an algorithm; TestCost of cmd/ptxabi holds what they take. Two of them are tangled: words of a frame that go round
// in a circle, and a frame of which each word is known at each label.
func TestShapes(t *testing.T) {
	row := must.Target(t, "sm_90")
	for _, s := range bench.Listings {
		listing := s.Text(400)
		out, err := text(listing, annotate.Options{Target: row, Registers: true})
		require.NoError(t, err, s.Name)
		require.NoError(t, unchanged(listing, out), s.Name)
		require.Equal(t, s.Name == "circle" || s.Name == "frame", bytes.Contains(out, []byte(annotate.TangledNote)), s.Name)
	}
}
