package link_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestMeasured: of what was compared with the linkers nothing differs, and every release is
// there.
func TestMeasured(t *testing.T) {
	line := regexp.MustCompile(`^(\d+\.\d+)\.\d+ +seed \d+ +[1-9]\d* (pairs|call graphs|links|links of two releases), .*, 0 differ$`)
	for _, name := range []string{"links", "stacks", "archives", "releases"} {
		text := must.Read(t, recordings+"/"+name+".txt")
		seen := make(map[string]bool)
		for one := range strings.Lines(string(text)) {
			one = strings.TrimSuffix(one, "\n")
			if strings.HasPrefix(one, "#") {
				continue
			}
			m := line.FindStringSubmatch(one)
			if assert.NotNil(t, m, "%s.txt: %s", name, one) {
				seen[m[1]] = true
			}
		}
		for _, release := range []string{"11.8", "12.4", "12.8", "12.9", "13.0", "13.4", "13.5"} {
			assert.True(t, seen[release], "%s.txt: %s", name, release)
		}
	}
}
