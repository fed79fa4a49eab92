package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// The sections of the cases under testdata/layout are what layout prints of
// the one input in that format, with the other words as flags without their
// dash: "text lang=c++ target=sm_80".
func TestLayoutGolden(t *testing.T) {
	schema := readSchema(t, "layout")
	section := func(format string) golden.Section {
		return func(c *golden.Case, args []string) ([]byte, error) {
			if len(c.Inputs) != 1 {
				return nil, errors.New("expected one input")
			}
			dir := t.TempDir()
			in := c.Inputs[0]
			if err := os.WriteFile(filepath.Join(dir, in.Name), in.Data, 0o666); err != nil {
				return nil, err
			}
			call := []string{"layout", "-format", format}
			for _, a := range args {
				call = append(call, "-"+a)
			}
			r := ptxabi(nil, append(call, filepath.Join(dir, in.Name))...)
			out := r.stdout + strings.ReplaceAll(r.stderr, dir+string(filepath.Separator), "")
			if r.status != 0 {
				out += fmt.Sprintf("exit status %d\n", r.status)
			} else if format == "json" {
				schema.check(t, r.stdout)
			}
			return []byte(strings.ReplaceAll(out, dir+string(filepath.Separator), "")), nil
		}
	}
	sections := map[string]golden.Section{}
	for _, f := range []string{"text", "json", "ptx", "clang", "structlayout", "svg"} {
		sections[f] = section(f)
	}
	golden.Run(t, "testdata/layout", sections)
}

// TestLayoutClang holds -format clang against clang itself, line for line, on
// the inputs of the cases that have a section for it.
func TestLayoutClang(t *testing.T) {
	t.Parallel()
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("clang 19 is not installed")
	}
	cases := must.Glob(t, "testdata/layout/*.txtar")
	compared := 0
	for _, name := range cases {
		a := golden.Archive(t, name)
		if !slices.ContainsFunc(a.Files, func(f txtar.File) bool { return f.Name == "clang" }) {
			continue
		}
		lang := []string{"-x", "c"}
		if strings.HasSuffix(a.Files[0].Name, ".cu") {
			lang = []string{"-x", "c++", "-std=c++20"}
		}
		file := filepath.Join(t.TempDir(), a.Files[0].Name)
		require.NoError(t, os.WriteFile(file, a.Files[0].Data, 0o666))
		cmd := exec.Command(clang, append(lang, "--target=nvptx64-nvidia-cuda", "-Xclang", "-fdump-record-layouts-complete", "-fsyntax-only", "-w", file)...)
		theirs, err := cmd.Output()
		require.NoError(t, err, name)
		ours := ptxabi(nil, "layout", "-format", "clang", file)
		require.Equal(t, 0, ours.status, ours.stderr)
		for _, b := range strings.SplitAfter(ours.stdout, "]\n\n") {
			assert.Contains(t, string(theirs), b, name)
			compared++
		}
	}
	assert.Greater(t, compared, 30)
}
