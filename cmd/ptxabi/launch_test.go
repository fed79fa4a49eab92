package main

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// bindings is the part of cuda-python that examples/launch needs, where that is not installed. Results are tuples there, too.
//
//go:embed testdata/text/bindings.py
var bindings string

// TestLaunchFromPython runs examples/launch and the program of docs/kernels.md on a driver that stands in: with cuda-python,
// if python3 has it, and else with the functions above.
func TestLaunchFromPython(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no cc here")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	r := ptxabi(nil, "export", "-lang", "c", "-reader", "-o", filepath.Join(dir, "ptxabi_cubin.h"))
	require.Equal(t, 0, r.status, r.stderr)
	out, err := exec.Command(cc, "-Wall", "-Werror", "-shared", "-fPIC", "-I", dir, "-o", filepath.Join(dir, "libcuda.so.1"), root+"/examples/launch/driver.c", "-ldl").CombinedOutput()
	require.NoError(t, err, "%s", out)
	path := []string{root + "/internal/release/python"}
	if err := exec.Command(python, "-c", "import cuda.bindings.driver").Run(); err != nil {
		module := filepath.Join(dir, "cuda", "bindings")
		require.NoError(t, os.MkdirAll(module, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(module, "driver.py"), []byte(bindings), 0o666))
		path = append(path, dir)
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command(python, append([]string{"-B"}, args...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "PYTHONPATH="+strings.Join(path, string(os.PathListSeparator)))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	doc := must.Read(t, root+"/docs/kernels.md")
	got, err := run("examples/launch/launch.py")
	require.NoError(t, err, got)
	assert.Contains(t, string(doc), "python examples/launch/launch.py\n"+got+"```")
	got, err = run("examples/launch/launch.py", "drift")
	assert.Error(t, err)
	assert.Contains(t, got, "TypeError: step: argument 0, c_float, has 4 bytes, and parameter 0 takes 8 at 0")
	got, err = run("-c", "import ctypes, ptxabi; ptxabi.fits(ptxabi.kernel('examples/drift/step.ptx', 'step'), [ctypes.c_float] * 3)")
	assert.Error(t, err)
	assert.Contains(t, got, "TypeError: step: argument 0, c_float, has 4 bytes, and parameter 0 (x) takes 8 at 0\n")
	m := regexp.MustCompile("(?s)```python\n(.*?)```\n\n```text\n(.*?)```").FindSubmatch(doc)
	require.NotNil(t, m)
	got, err = run("-c", string(m[1]))
	require.NoError(t, err, got)
	assert.Equal(t, string(m[2]), got)
}

// TestRustBindings compiles a program of Rust with the declarations that the script bindings has.
func TestRustBindings(t *testing.T) {
	t.Parallel()
	rustc, n := effort.Rustc()
	if n < 82 {
		t.Skip("there is no rustc of 1.82 or later, which the declarations need")
	}
	a := golden.Archive(t, "testdata/script/bindings.txtar")
	dir := t.TempDir()
	for _, f := range a.Files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666))
	}
	const user = `#[path = "want.rs"]
pub mod norm;
/// # Safety
/// The shims and the functions are linked.
pub unsafe fn call(body: norm::Body) -> f32 {
    norm::step(body, core::ptr::null_mut(), norm::odd(norm::ns_id(norm::ns_V3 { Id: 1 })), 2, 3);
    norm::scale(body.pos, norm::cuda(1.0), core::ptr::null(), core::ptr::null_mut()).x + norm::unwrap(norm::i32_ { v: 4 }, 5, 6) as f32
}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "user.rs"), []byte(user), 0o666))
	cmd := exec.Command(rustc, "--edition=2021", "--crate-type=lib", "--emit=metadata", "-Dwarnings", "user.rs")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
