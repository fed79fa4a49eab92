package follow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestRules holds that what differences name stands in docs/abi.md.
func TestRules(t *testing.T) {
	doc := must.Read(t, "../../../../docs/abi.md")
	for _, rule := range Rules {
		step := strings.Contains(string(doc), "\n**"+rule+".**")
		heading := strings.Contains(string(doc), "# "+rule+"\n")
		assert.True(t, step || heading, rule)
	}
}
