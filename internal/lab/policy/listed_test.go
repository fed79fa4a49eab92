package policy_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestWorkflowPackages holds that the packages that workflows name are there: a job of a
// package that has moved is found here, and not by the service.
func TestWorkflowPackages(t *testing.T) {
	files := must.Glob(t, ".github/workflows/*.yml")
	require.NotEmpty(t, files)
	named := regexp.MustCompile(`[ ,]\./([a-z/]+[a-z])`)
	found := 0
	for _, file := range append(files, ".ci/run") {
		text := must.Read(t, file)
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			info, err := os.Stat(m[1])
			if assert.NoError(t, err, file) {
				assert.True(t, info.IsDir(), "%s: %s", file, m[1])
			}
			found++
		}
	}
	assert.Greater(t, found, 10)
}
