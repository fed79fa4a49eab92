package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCompareCorpus writes modules of several targets, which package lower compiles without a difference.
func TestCompareCorpus(t *testing.T) {
	for _, target := range []string{"sm_52", "sm_80", "sm_107a"} {
		dir := filepath.Join(t.TempDir(), "made", "here")
		r := ptxabi(nil, "compare", "-corpus", dir, "-target", target, "-n", "4", "-seed", "3")
		require.Equal(t, 0, r.status, r.stderr)
		files, err := filepath.Glob(dir + "/*.ptx")
		require.NoError(t, err)
		require.Greater(t, len(files), 30)
		for _, file := range files {
			r := ptxabi([]byte(ptxabi(nil, "lower", file).stdout), "compare", "-strict", file, "-")
			assert.Equal(t, 0, r.status, "%s %s", file, r.stdout+r.stderr)
		}
	}
}

// TestCompareRunner runs examples/compare/run.py with the backend in Python, right and wrong.
func TestCompareRunner(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	folder, err := filepath.Abs("../../examples/compare")
	require.NoError(t, err)
	dir := t.TempDir()
	tool := filepath.Join(dir, "ptxabi")
	out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(folder + "/words.ptx")
	require.NoError(t, err)
	modules := filepath.Join(dir, "modules")
	require.NoError(t, os.Mkdir(modules, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(modules, "1.ptx"), text, 0o666))
	run := func(command ...string) (string, error) {
		cmd := exec.Command(python, append([]string{"-B", folder + "/run.py", modules}, command...)...)
		cmd.Stderr = io.Discard
		cmd.Env = append(os.Environ(), "PTXABI="+tool)
		out, err := cmd.Output()
		return string(out), err
	}
	got, err := run(python, "-B", folder+"/backend.py")
	require.NoError(t, err, got)
	assert.Equal(t, "1 of 1 modules compared, 0 wrong\n", got)
	got, err = run(python, "-c", "print(open('"+folder+"/words-wrong.sass').read())")
	require.Error(t, err)
	assert.Contains(t, got, "call 1 of extern_0, R7 should hold bytes 4 to 8 of argument p1")
	assert.Contains(t, got, "1 of 1 modules compared, 1 wrong\n")
	got, err = run(python, "-c", "raise SystemExit(3)")
	require.Error(t, err)
	assert.Equal(t, "0 of 1 modules compared, 0 wrong\n", got)

	modules = "../../testdata/golden/frame"
	got, err = run(tool, "lower")
	require.NoError(t, err, got)
	assert.Regexp(t, `^(\d\d) of \d\d modules compared, 0 wrong\n$`, got)
	got, err = run(python, "-c", "import sys, subprocess; print(subprocess.run(['"+tool+"', 'lower', sys.argv[1]], capture_output=True, text=True).stdout.replace('R1, R1, 0x', 'R1, R1, 0x1'))")
	require.Error(t, err)
	assert.Contains(t, got, "R1 should hold what it held at entry")
}
