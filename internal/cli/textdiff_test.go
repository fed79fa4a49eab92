package cli_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
)

func TestTextDiff(t *testing.T) {
	assert.Empty(t, textdiff.Unified("a\n", "a\n", "x", "y"))
	assert.Equal(t, "--- x\n+++ y\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", textdiff.Unified("a\nb\n", "a\nc\n", "x", "y"))
	assert.Equal(t, "--- x\n+++ y\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", textdiff.Unified("a\n", "a", "x", "y"))
	assert.Equal(t, "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n", textdiff.Unified("", "a\n", "x", "y"))
}
