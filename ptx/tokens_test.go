package ptx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestAppendTokensOpenString holds that a string which is not closed leaves the next line alone.
func TestAppendTokensOpenString(t *testing.T) {
	assert.Equal(t, `"a\ b c`, string(ptx.AppendTokens(nil, "\"a\\\nb  // comment\nc")))
}
