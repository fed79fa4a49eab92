package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/packers"
)

// invoke runs the program in a folder.
func invoke(dir string, args ...string) (stdout, stderr string, status int) {
	return invokeIn(nil, dir, args...)
}

// invokeIn does so with what a session has of the go command.
func invokeIn(s *packers.Session, dir string, args ...string) (stdout, stderr string, status int) {
	var out, err strings.Builder
	status = run(args, env{stdout: &out, stderr: &err, dir: dir, vars: environment(), session: s})
	return out.String(), err.String(), status
}

// environment is the process's without what go generate and the project's own
// module set.
func environment() []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GOFILE=") || strings.HasPrefix(v, "GOPACKAGE=")
	}), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
}

// lay writes the inputs of all cases into folders p of a module, one for each of their sections.
func lay(t *testing.T, root string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.org/golden\n\ngo 1.21\n"), 0o666))
	for _, file := range must.Glob(t, "testdata/golden/*.txtar") {
		a, n := golden.Archive(t, file), 0
		for _, section := range a.Files {
			if !strings.HasPrefix(section.Name, "ptxparam ") {
				continue
			}
			n++
			dir := filepath.Join(root, fmt.Sprintf("%s%d", strings.TrimSuffix(filepath.Base(file), ".txtar"), n), "p")
			for _, f := range a.Files {
				if strings.Contains(f.Name, " ") {
					continue
				}
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o777))
				require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666))
			}
		}
	}
}

// TestGolden runs testdata/golden: a section is a command line, and its text
// the files that the command writes, and what it reports. In the gate everything
// that is generated is then compiled, vetted and run. The go command runs once for all packages.
func TestGolden(t *testing.T) {
	root := t.TempDir()
	lay(t, root)
	var session packers.Session
	session.Preload(root, environment())
	sections := map[string]int{}
	made := 0
	golden.Run(t, "testdata/golden", map[string]golden.Section{
		"ptxparam": func(c *golden.Case, args []string) ([]byte, error) {
			sections[c.Name]++
			mod := filepath.Join(root, fmt.Sprintf("%s%d", c.Name, sections[c.Name]))
			dir := filepath.Join(mod, "p")
			out, ok, err := outcome(&session, dir, args)
			if err != nil {
				return nil, err
			}
			if ok && effort.Long() && inGo(dir) {
				made++
				if _, diagnostics, status := invoke(dir, append([]string{"-test"}, args...)...); status != 0 {
					return nil, fmt.Errorf("with -test: %s", diagnostics)
				}
			}
			// What has errors, what imports a package that is not there, and
			// what is built with tags alone is not compiled below.
			if ok && effort.Long() {
				translated(t, dir)
			}
			if !ok || c.Name == "broken" || c.Name == "binding" || c.Name == "constraints" {
				return out, os.RemoveAll(mod)
			}
			return out, nil
		},
	})
	if t.Failed() || !effort.Long() {
		return
	}
	require.NotZero(t, made)
	tool(t, root, nil, "go", "vet", "./...")
	tool(t, root, nil, "go", "test", "./...")
	for _, arch := range []string{"386", "arm64"} {
		vars := []string{"GOARCH=" + arch, "CGO_ENABLED=0"}
		tool(t, root, vars, "go", "build", "./...")
		tool(t, root, vars, "go", "vet", "./...")
	}
}

// outcome runs a command in a folder, within a session, and returns what it wrote and printed.
func outcome(s *packers.Session, dir string, args []string) (out []byte, ok bool, err error) {
	before, err := names(dir)
	if err != nil {
		return nil, false, err
	}
	stdout, stderr, status := invokeIn(s, dir, args...)
	after, err := names(dir)
	if err != nil {
		return nil, false, err
	}
	var b bytes.Buffer
	b.WriteString(stdout)
	b.WriteString(strings.ReplaceAll(stderr, dir, "DIR"))
	for _, name := range after {
		if slices.Contains(before, name) {
			continue
		}
		if status != 0 {
			return nil, false, fmt.Errorf("%s was written though there were errors", name)
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, false, err
		}
		fmt.Fprintf(&b, "==> %s <==\n%s", name, data)
	}
	if status != 0 {
		fmt.Fprintf(&b, "exit status %d\n", status)
	}
	return b.Bytes(), status == 0, nil
}

func names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out, err
}

// tool runs a program, which must succeed without a word on standard error.
func tool(t *testing.T, dir string, vars []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(environment(), vars...)
	var out, diagnostics strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	if err := cmd.Run(); err != nil || diagnostics.String() != "" {
		t.Errorf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), diagnostics.String())
	}
	return out.String()
}

// quiet runs a program, which must succeed; what it says does not matter.
func quiet(t *testing.T, dir string, vars []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(environment(), vars...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
}
