package textdiff

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnified(t *testing.T) {
	assert.Empty(t, Unified("a\n", "a\n", "x", "y"))
	assert.Equal(t, "--- x\n+++ y\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", Unified("a\nb\n", "a\nc\n", "x", "y"))
	assert.Equal(t, "--- x\n+++ y\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", Unified("a\n", "a", "x", "y"))
	assert.Equal(t, "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n", Unified("", "a\n", "x", "y"))
}
