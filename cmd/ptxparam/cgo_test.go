package main

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
)

// cgoKernels is read by ptxparam, and cgoProgram launches them through a driver of C
// that copies what the real one copies: each parameter from its address, or the buffer
// of extra.
const (
	cgoKernels = `struct S { double d; char c[17]; };
__global__ void saxpy(int n, struct S s, float *out, char last);
__global__ void idle(void);
`

	cgoHeader = `#include <stddef.h>
extern unsigned char got[64];
extern size_t size;
int cuLaunchKernel(size_t n, const size_t *sizes, const size_t *offsets, void **kernelParams, void **extra);
`
)

// TestCgoLaunch launches through cgo, which checks what pointers lead to.
func TestCgoLaunch(t *testing.T) {
	effort.NeedLong(t, "builds programs")
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler here")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/user\n\ngo 1.21\n", "k.cu": cgoKernels, "main.go": cgoProgram,
		"driver.h": cgoHeader, "driver.c": cgoDriver,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	_, stderr, status := invoke(dir, "-kernel=saxpy,idle", "-pkg=main", "k.cu")
	require.Zero(t, status, stderr)
	env := []string{"CGO_ENABLED=1", "GODEBUG=cgocheck=1"}
	quiet(t, dir, env, "go", "vet", ".")
	assert.Equal(t, "ok\n", tool(t, dir, env, "go", "run", "."))

	copied := "package main\n\nfunc copied(l SaxpyLaunch) SaxpyLaunch { return l }\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "copied.go"), []byte(copied), 0o666))
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir, cmd.Env = dir, append(environment(), env...)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "SaxpyLaunch contains sync.Mutex")
	require.NoError(t, os.Remove(filepath.Join(dir, "copied.go")))
	assert.Equal(t, "ok\n", tool(t, dir, append(env, "GOEXPERIMENT=cgocheck2"), "go", "run", "."))
}

//go:embed testdata/text/cgoDriver.c
var cgoDriver string

//go:embed testdata/text/cgoProgram.go.txt
var cgoProgram string
