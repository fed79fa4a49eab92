package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

// writeFiles writes files to a folder of their own and returns their paths.
func writeFiles(t *testing.T, files ...string) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i := 0; i+1 < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		require.NoError(t, os.WriteFile(path, []byte(files[i+1]), 0o666))
		paths = append(paths, path)
	}
	return paths
}

const linkHead = ".version 8.3\n.target sm_90\n.address_size 64\n"

// TestLinkRules draws each code of package link with its example, at the severity that
// is stated, and no other.
func TestLinkRules(t *testing.T) {
	for _, r := range otherCodes {
		if !r.link || r.Modules == nil {
			continue // of objects alone
		}
		t.Run(string(r.Code), func(t *testing.T) {
			var files []string
			for i, text := range r.Modules {
				if !strings.HasPrefix(text, ".version") {
					text = linkHead + text
				}
				files = append(files, fmt.Sprintf("m%d.ptx", i), text)
			}
			got := ptxabi(nil, append([]string{"link"}, writeFiles(t, files...)...)...)
			require.NotEmpty(t, got.stderr)
			for line := range strings.Lines(got.stderr) {
				if !strings.HasPrefix(line, "\t") {
					assert.Contains(t, line, ": "+r.Severity.String()+": ")
					assert.Contains(t, line, " ["+string(r.Code)+"]\n")
				}
			}
		})
	}
}

const (
	tree     = "../../examples/recursion/"
	listings = "../../internal/tool/stack/testdata/code/"
)

// TestStackPicture holds the picture of docs/stack.md against what stack draws.
func TestStackPicture(t *testing.T) {
	r := ptxabi(nil, "stack", "-format", "svg", tree+"main.cubin", tree+"walk.cubin")
	require.Equal(t, 0, r.status, r.stderr)
	golden.Hold(t, "../../docs/images/stack.svg", r.stdout)
}
