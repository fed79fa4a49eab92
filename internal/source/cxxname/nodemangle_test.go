//go:build explorer

package cxxname

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSymbols shows symbols as they are, and cuts long ones.
func TestSymbols(t *testing.T) {
	long := "_Z200" + strings.Repeat("x", 200) + "v"
	n := Show([]string{"_Z4stepi", "_Z4stepf", long}, false)
	assert.Equal(t, "_Z4stepi", n.Of("_Z4stepi"))
	assert.Equal(t, "_Z4stepi", Name("_Z4stepi"))
	assert.Equal(t, Cut(long, nameRoom), n.Of(long))
	assert.NotEqual(t, long, n.Of(long))
}
