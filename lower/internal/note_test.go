package internal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
)

// TestSpans appends notes of bytes of all lengths after a text, whose rest stays.
func TestSpans(t *testing.T) {
	for _, first := range []int{0, 1, 9, 10, 11, 99, 100, 101, 12345, -1, -10} {
		for _, end := range []int{0, 4, 9, 10, 59, 99, 100, 1 << 30, -2} {
			n := lir.Bytes("p", first, end)
			assert.Equal(t, fmt.Sprintf("x p[%d:%d]", first, end), string(n.Append([]byte("x "))))
		}
	}
}
