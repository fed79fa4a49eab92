package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestCompareCorpus writes modules of several targets, which package lower compiles without a difference.
func TestCompareCorpus(t *testing.T) {
	t.Parallel()
	for _, target := range effort.Of([]string{"sm_80"}, []string{"sm_52", "sm_80", "sm_107a"}) {
		dir := filepath.Join(t.TempDir(), "made", "here")
		r := ptxabi(nil, "compare", "-corpus", dir, "-target", target, "-n", "4", "-seed", "3")
		require.Equal(t, 0, r.status, r.stderr)
		files := must.Glob(t, dir+"/*.ptx")
		require.Greater(t, len(files), 30)
		for _, file := range files {
			r := ptxabi([]byte(ptxabi(nil, "lower", file).stdout), "compare", "-strict", file, "-")
			assert.Equal(t, 0, r.status, "%s %s", file, r.stdout+r.stderr)
		}
	}
}

// TestCompareRunner runs examples/compare/run.py with the backend in Python, right and wrong.
func TestCompareRunner(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	folder, err := filepath.Abs("../../examples/compare")
	require.NoError(t, err)
	dir := t.TempDir()
	tool, err := exec.LookPath("ptxabi") // this program
	require.NoError(t, err)
	text := must.Read(t, folder+"/words.ptx")
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

	if !effort.Long() {
		return // the others start a hundred processes
	}
	modules = "../../testdata/golden/frame"
	got, err = run(tool, "lower")
	require.NoError(t, err, got)
	assert.Regexp(t, `^(\d\d) of \d\d modules compared, 0 wrong\n$`, got)
	got, err = run(python, "-c", "import sys, subprocess; print(subprocess.run(['"+tool+"', 'lower', sys.argv[1]], capture_output=True, text=True).stdout.replace('R1, R1, 0x', 'R1, R1, 0x1'))")
	require.Error(t, err)
	assert.Contains(t, got, "R1 should hold what it held at entry")
}

// TestCompareCubin gives a cubin to the disassembler that is found, here a script.
func TestCompareCubin(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for nvdisasm is a shell script")
	}
	folder, err := filepath.Abs("../../examples/compare")
	require.NoError(t, err)
	dir := t.TempDir()
	cubin := filepath.Join(dir, "x.cubin")
	require.NoError(t, os.WriteFile(cubin, []byte("\x7fELF and so on"), 0o666))
	shell, err := exec.LookPath("sh")
	require.NoError(t, err)
	t.Setenv("PATH", dir)
	t.Setenv("CUDA_HOME", "")
	t.Setenv("CUDA_PATH", "")
	compare := func(stdin string, file string) result {
		return ptxabi([]byte(stdin), "compare", folder+"/add.ptx", file)
	}
	r := compare("", cubin)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "x.cubin: a cubin, and nvdisasm is neither on the path nor in $CUDA_HOME/bin; where a CUDA toolkit is, run nvdisasm -c "+cubin)

	home := filepath.Join(dir, "toolkit")
	require.NoError(t, os.MkdirAll(home+"/bin", 0o777))
	script := func(body string) {
		require.NoError(t, os.WriteFile(home+"/bin/nvdisasm", []byte("#!"+shell+"\n"+body), 0o777))
	}
	t.Setenv("CUDA_HOME", home)
	script("test \"$1\" = -c && read line <\"$2\"; while IFS= read -r line; do printf '%s\\n' \"$line\"; done <" + folder + "/wrong.sass\n")
	for _, r := range []result{compare("", cubin), compare("\x7fELF and so on", "-")} {
		assert.Equal(t, 1, r.status, r.stderr)
		assert.Contains(t, r.stdout, "R4 should hold argument x")
	}
	script("echo nvdisasm fatal : no such architecture >&2; exit 1\n")
	r = compare("", cubin)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "nvdisasm cannot read it: nvdisasm fatal : no such architecture; a newer toolkit may")
}
