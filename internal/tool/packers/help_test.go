package packers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// compareLines reports the first struct whose bytes differ.
func compareLines(t *testing.T, want, got string, names []string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			require.Equal(t, strings.Join(w[i:min(i+1, len(w))], ""), strings.Join(g[i:min(i+1, len(g))], ""), "line %d, struct %s", i, names[i%(len(names)+1)])
			return
		}
	}
}

// compilers returns those of the named C compilers that are installed.
func compilers(t *testing.T, names ...string) []string {
	t.Helper()
	var out []string
	for _, n := range names {
		if _, err := exec.LookPath(n); err == nil {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		t.Skipf("none of %s is installed", strings.Join(names, ", "))
	}
	return out
}

// command runs a command and returns what it prints.
func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off"), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		text := stderr.String()
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text[:min(len(text), 4000)])
	}
	return string(out)
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, name)
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}
