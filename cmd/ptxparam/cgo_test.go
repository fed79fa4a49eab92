package main

import (
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

	cgoDriver = `#include "driver.h"
#include <string.h>

unsigned char got[64];
size_t size;

int cuLaunchKernel(size_t n, const size_t *sizes, const size_t *offsets, void **kernelParams, void **extra) {
	void *buf = NULL;
	memset(got, 0, sizeof got);
	size = 0;
	if (kernelParams) {
		for (size_t i = 0; i < n; i++) {
			memcpy(got + offsets[i], kernelParams[i], sizes[i]);
			size = offsets[i] + sizes[i];
		}
		return 0;
	}
	for (; *extra; extra += 2) {
		if (*extra == (void *)1) buf = extra[1];
		if (*extra == (void *)2) size = *(size_t *)extra[1];
	}
	memcpy(got, buf, size);
	return 0;
}
`

	cgoProgram = `package main

/*
#include "driver.h"
*/
import "C"

import (
	"bytes"
	"fmt"
	"os"
	"unsafe"
)

func same(what string, want []byte) {
	got := C.GoBytes(unsafe.Pointer(&C.got[0]), C.int(C.size))
	if !bytes.Equal(got, want) {
		fmt.Printf("%s: % x, want % x\n", what, got, want)
		os.Exit(1)
	}
}

func main() {
	args := SaxpyArgs{N: 7, Out: 0x7f0011223344, Last: 9}
	args.S.D = 0.5
	args.S.C[16] = 3
	sizes, offsets := []C.size_t{4, 32, 8, 1}, []C.size_t{0, 8, 40, 48}
	for range make([]int, 3) { // a launch can be used again
		var l SaxpyLaunch
		for range make([]int, 2) {
			args.N++
			l.Pin(&args)
			C.cuLaunchKernel(4, &sizes[0], &offsets[0], &l.KernelParams()[0], nil)
			same("kernelParams", args.AppendParams(nil))
			C.cuLaunchKernel(0, nil, nil, nil, (*unsafe.Pointer)(unsafe.Pointer(&l.Extra()[0])))
			same("extra", args.AppendParams(nil))
			l.Unpin()
		}
	}
	var l IdleLaunch
	l.Pin(&IdleArgs{})
	C.cuLaunchKernel(0, nil, nil, &l.KernelParams()[0], nil)
	same("kernelParams of none", nil)
	C.cuLaunchKernel(0, nil, nil, nil, (*unsafe.Pointer)(unsafe.Pointer(&l.Extra()[0])))
	same("extra of none", nil)
	l.Unpin()
	fmt.Println("ok")
}
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
