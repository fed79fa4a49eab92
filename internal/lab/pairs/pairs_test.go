package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// stub is a compiler of our own, which aligns the type bytes_64 as it is told.
func stub(t *testing.T, align string) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell here")
	}
	path, err := filepath.Abs("testdata/stub.sh")
	require.NoError(t, err)
	return "cuda:stub:" + align + "=sh " + path + " " + align + " {in} {out}"
}

// TestStubs has a pair that agrees, and one of which bytes do not arrive.
func TestStubs(t *testing.T) {
	var out strings.Builder
	wrong, err := run(&out, options{caller: stub(t, "4"), callee: stub(t, "4"), only: "bytes_64"})
	require.NoError(t, err)
	assert.Zero(t, wrong)
	assert.Equal(t, "caller stub 4, callee stub 4: 2 arrive, 0 arrive though declared otherwise, 0 refused, 0 wrong, 0 not executed\n"+
		"executed in the simulator, on no device: there is no -toolkit to link for one\n", out.String())
	out.Reset()
	wrong, err = run(&out, options{caller: stub(t, "16"), callee: stub(t, "4"), only: "bytes_64", target: "sm_80"})
	require.NoError(t, err)
	assert.Equal(t, 1, wrong, out.String())
	assert.Contains(t, out.String(), "bytes_64, after a struct of 65 bytes: declarations: modules differ on f: ")
	assert.Contains(t, out.String(), "does not arrive: bytes 0-63\n")
	assert.Contains(t, out.String(), "1 arrive, 0 arrive though declared otherwise, 0 refused, 1 wrong, 0 not executed")
}

// TestClangs has what is known of clang 14 to 16 beside themselves.
func TestClangs(t *testing.T) {
	tools, _ := oracle.Find()
	if tools == nil || len(tools.Clangs) == 0 {
		t.Skip("there is no clang here")
	}
	word := "clang=" + tools.Clangs[0].Path
	var out strings.Builder
	wrong, err := run(&out, options{caller: word, callee: word, only: "char,bytes_3,bytes_160,double_char,int128,booleans,bits_int", random: 2, seed: 1})
	require.NoError(t, err)
	assert.Zero(t, wrong, out.String())
	assert.Contains(t, out.String(), "14 arrive, 0 arrive though declared otherwise, 0 refused, 0 wrong, 0 not executed")
}

// TestLinked compares what a linker does with the comparison of declarations.
func TestLinked(t *testing.T) {
	tools, _ := oracle.Find()
	if tools == nil {
		t.Skip("there is no toolkit here")
	}
	var dir string
	for _, tk := range tools.Toolkits {
		if _, err := exec.LookPath(filepath.Join(filepath.Dir(tk.Ptxas), "nvlink")); err == nil {
			dir = filepath.Dir(tk.Ptxas)
		}
	}
	if dir == "" {
		t.Skip("there is no linker of NVIDIA's here")
	}
	var out strings.Builder
	wrong, err := run(&out, options{caller: stub(t, "16"), callee: stub(t, "4"), only: "bytes_64", target: "sm_80", toolkit: dir, driver: "/nowhere/libcuda.so.1"})
	require.NoError(t, err)
	assert.Equal(t, 1, wrong, out.String())
	assert.Contains(t, out.String(), "linked: 2, 0 of them against what the declarations say\n"+
		"executed in the simulator, on no device: ")
}

// TestDevice compares a device with the simulator. The device is the stand-in of internal/lab/gpu, which
// copies what the kernel is given, and the assembler and the linker are two that write what it takes for a cubin.
func TestDevice(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("the stand-in for the driver is built by gcc, on Linux")
	}
	dir := t.TempDir()
	driver := filepath.Join(dir, "libfakecuda.so")
	said, err := exec.Command(gcc, "-shared", "-fPIC", "-o", driver, "../gpu/testdata/fakecuda.c").CombinedOutput()
	require.NoError(t, err, "%s", said)
	program, err := build(dir)
	if err != nil {
		t.Skip(err) // its module needs another, which is not at hand
	}
	for _, name := range []string{"ptxas", "nvlink"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nfor last; do :; done; printf '\\177ELF' >\"$last\"\n"), 0o700))
	}
	pairs := func(o options) (int, string) {
		t.Helper()
		var out strings.Builder
		o.toolkit, o.driver, o.program, o.only = dir, driver, program, "bytes_64"
		wrong, err := run(&out, o)
		require.NoError(t, err)
		return wrong, out.String()
	}
	t.Setenv("FAKECUDA_COPY", "64")
	four, sixteen := stub(t, "4"), stub(t, "16")
	wrong, out := pairs(options{caller: four, callee: four})
	assert.Zero(t, wrong, out)
	assert.Contains(t, out, "executed on Fake, sm_90, driver for CUDA 13.2: 2, 0 of them otherwise than in the simulator\n")

	wrong, out = pairs(options{caller: sixteen, callee: four}) // the simulator's bytes do not arrive
	assert.Equal(t, 1, wrong, out)
	assert.Contains(t, out, "does not arrive: bytes 0-63; on the device it arrives\n")
	assert.Contains(t, out, "executed on Fake, sm_90, driver for CUDA 13.2: 2, 1 of them otherwise than in the simulator\n")

	wrong, out = pairs(options{caller: four, callee: four, target: "sm_80"})
	assert.Zero(t, wrong, out)
	assert.Contains(t, out, "on no device: Fake, sm_90, driver for CUDA 13.2 does not run what is built for sm_80; -target sm_90 is its own\n")

	t.Setenv("FAKECUDA_LOSE", "7")
	wrong, out = pairs(options{caller: four, callee: four})
	assert.Equal(t, 2, wrong, out)
	assert.Contains(t, out, "\nresult bytes_64: arrives; on the device it does not arrive: bytes 7\n")
}

// TestRuns has which architectures' code a device runs.
func TestRuns(t *testing.T) {
	for _, tt := range []struct {
		device, target string
		runs           bool
	}{
		{"sm_90", "sm_90", true},
		{"sm_90", "sm_90a", true},
		{"sm_90", "sm_80", false},
		{"sm_86", "sm_80", true},
		{"sm_86", "sm_89", false},
		{"sm_103", "sm_100", true},
		{"sm_103", "sm_100a", false},
		{"sm_120", "sm_100", false},
	} {
		assert.Equal(t, tt.runs, (&device{sm: tt.device}).runs(tt.target), "%v", tt)
	}
}

func TestUnknown(t *testing.T) {
	_, err := run(&strings.Builder{}, options{caller: "clang"})
	assert.EqualError(t, err, "-caller and -callee name a compiler each, such as clang=/usr/bin/clang-19")
	_, err = run(&strings.Builder{}, options{caller: "clang", callee: "clang", random: -1})
	assert.EqualError(t, err, "-random -1: it is a number of records")
	_, err = run(&strings.Builder{}, options{caller: "clang=/nowhere/clang", callee: "clang"})
	assert.EqualError(t, err, "/nowhere/clang: fork/exec /nowhere/clang: no such file or directory")
	_, err = run(&strings.Builder{}, options{caller: "c:broken:1=sh -c false {in} {out}", callee: stub(t, "1"), only: "int"})
	assert.EqualError(t, err, "nothing could be tried: int: broken 1: refused: it writes no PTX, and says nothing")
	_, err = run(&strings.Builder{}, options{caller: "clang", callee: stub(t, "1")})
	assert.EqualError(t, err, `"clang" is no KIND=PROGRAM`)
	_, err = run(&strings.Builder{}, options{caller: stub(t, "1"), callee: stub(t, "1"), only: "nothing"})
	assert.EqualError(t, err, `-type: there is no type "nothing"`)
	_, err = run(&strings.Builder{}, options{caller: stub(t, "1"), callee: stub(t, "1"), toolkit: t.TempDir()})
	assert.ErrorContains(t, err, "ptxas")
}
