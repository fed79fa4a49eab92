package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/ptx"
)

// A fake is a driver that runs no kernels, see testdata/fakecuda.c.
type fake struct {
	*driver
	path    string
	fail    func(name string, code int32)
	open    func() int32
	records func(n int32, sizes, offsets *int32)
	answer  func(p unsafe.Pointer, n, reads int32)
	input   func(p unsafe.Pointer)
}

// newFake builds the fake; it skips a test where there is no C compiler.
func newFake(t *testing.T) *fake {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in for the driver is built on Linux alone")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build the stand-in for the driver with")
	}
	f := &fake{path: filepath.Join(t.TempDir(), "libfakecuda.so")}
	if out, err := exec.Command(gcc, "-Wall", "-Werror", "-shared", "-fPIC", "-o", f.path, "testdata/fakecuda.c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	if f.driver, err = openDriver(f.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(runtime.UnlockOSThread)
	for name, fn := range map[string]any{
		"fakeFail": &f.fail, "fakeOpen": &f.open, "fakeRecords": &f.records, "fakeAnswer": &f.answer, "fakeInput": &f.input,
	} {
		purego.RegisterLibFunc(fn, f.handle, name)
	}
	t.Cleanup(func() {
		if n := f.open(); n != 0 {
			t.Errorf("%d allocations or modules are left", n)
		}
	})
	return f
}

func row(t *testing.T, name string) *abi.Target {
	t.Helper()
	target, err := abi.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

var elf = []byte("\177ELF")

func TestDriver(t *testing.T) {
	f := newFake(t)
	version, err := f.version()
	if f.name != "Fake" || f.sm != 90 || version != "13.2" || err != nil {
		t.Errorf("found %q, sm_%d, %q, %v", f.name, f.sm, version, err)
	}
	if _, err := f.run(launch{cubin: []byte("text"), kernel: kernelName, outBytes: 4}); err == nil || err.Error() != "cuModuleLoadData: error 200" {
		t.Errorf("a module that is none: %v", err)
	}
}

// TestErrors lets each call of the driver fail.
func TestErrors(t *testing.T) {
	f := newFake(t)
	f.answer(unsafe.Pointer(&elf[0]), 4, 4)
	for _, call := range []string{
		"cuModuleLoadData", "cuModuleGetFunction", "cuMemAlloc", "cuMemcpyHtoD", "cuLaunchKernel", "cuCtxSynchronize", "cuMemcpyDtoH",
	} {
		f.fail(call, 999)
		_, err := f.run(launch{cubin: elf, kernel: kernelName, in: elf, outBytes: 4})
		if want := call + ": CUDA_ERROR_FAKE (999)"; err == nil || err.Error() != want {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
	for _, call := range []string{
		"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuCtxSetLimit",
	} {
		f.fail(call, 3)
		if err := f.start(); err == nil || err.Error() != call+": error 3" {
			t.Errorf("found %v, expected %s: error 3", err, call)
		}
	}
	f.fail("", 0)
	if _, err := openDriver("/nowhere/libcuda.so.1"); err == nil || !strings.HasPrefix(err.Error(), "no driver: ") {
		t.Errorf("no library: %v", err)
	}
	if err := run([]string{"-driver", "/nowhere/libcuda.so.1"}, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "no driver: ") {
		t.Errorf("no library: %v", err)
	}
	if err := run([]string{"-dry"}, io.Discard); err == nil {
		t.Error("-dry without -target is accepted")
	}
}

// TestRecords passes records to a driver that lays them out, and to one that is
// given the whole block; and notices a driver that has one elsewhere.
func TestRecords(t *testing.T) {
	f := newFake(t)
	for _, name := range []string{"sm_61", "sm_80", "sm_90", "sm_120"} {
		target := row(t, name)
		for i := range 60 {
			e, err := newRecords(3, i, target)
			if err != nil {
				t.Fatal(err)
			}
			sizes, offsets := []int32{8}, []int32{int32(e.places.Params[0].Loc.Off - e.places.Block.Base)}
			for k, v := range e.values {
				sizes = append(sizes, int32(len(v)))
				offsets = append(offsets, int32(e.places.Params[k+1].Loc.Off-e.places.Block.Base))
			}
			f.records(int32(len(sizes)), &sizes[0], &offsets[0])
			total := len(bytes.Join(e.values, nil))
			for _, packed := range []bool{false, true} {
				out, err := f.run(e.launch(elf, packed))
				if err != nil {
					t.Fatalf("%s: %v", e.places, err)
				}
				if n, lines := e.wrong(out); n != total || lines != nil {
					t.Errorf("%s: %d of %d bytes, %v", e.places, n, total, lines)
				}
			}
			if sizes[1] < 2 {
				continue
			}
			offsets[1]-- // a driver with other places
			f.records(int32(len(sizes)), &sizes[0], &offsets[0])
			out, err := f.run(e.launch(elf, true))
			if err != nil {
				t.Fatal(err)
			}
			if _, lines := e.wrong(out); len(lines) != 1 {
				t.Errorf("%s: a record elsewhere is not noticed", e.places)
			}
		}
	}
}

// TestPassing gives the comparison what a device that follows Assign would write,
// and the same with one byte changed.
func TestPassing(t *testing.T) {
	f := newFake(t)
	for _, name := range []string{"sm_35", "sm_80", "sm_120"} {
		target := row(t, name)
		cases, inMemory, onStack := 0, 0, 0
		for i := range 120 {
			p := newPassing(5, i, target, ptx.Version{Major: 7, Minor: 8}, i%2 == 1)
			if p == nil {
				continue
			}
			cases++
			if p.indirect() {
				inMemory++
			}
			if p.places.StackBytes > 0 {
				onStack++
			}
			in := p.in(target)
			if len(in) == 0 {
				in = make([]byte, 4)
			}
			right := p.given()
			known := make([]bool, len(right))
			for k := range known {
				known[k] = true
			}
			if !p.fromRaw {
				right, known = p.raw(target)
			}
			right = append(pad(bytes.Clone(right)), p.result...)
			right = append(right, make([]byte, p.outBytes()-len(right))...)
			ask := func(answer []byte) (int, []string) {
				f.answer(unsafe.Pointer(&answer[0]), int32(len(answer)), int32(len(in)))
				out, err := f.run(launch{cubin: elf, kernel: kernelName, in: in, outBytes: p.outBytes()})
				if err != nil {
					t.Fatal(err)
				}
				return p.wrong(out, target)
			}
			want := len(p.given()) + len(p.result)
			if n, lines := ask(right); n != want || lines != nil {
				t.Fatalf("%s: %d of %d bytes, %v", p.sig, n, want, lines)
			}
			read := make([]byte, len(in))
			f.input(unsafe.Pointer(&read[0]))
			if !bytes.Equal(read, in) {
				t.Errorf("%s: the kernel reads %x, expected %x", p.sig, read, in)
			}
			for k, is := range known {
				broken := bytes.Clone(right)
				broken[k] ^= 0x10
				if _, lines := p.wrong(broken, target); is != (len(lines) == 1) {
					t.Errorf("%s: byte %d: %v", p.sig, k, lines)
				}
			}
		}
		if cases < 90 || inMemory < 20 || onStack < 10 {
			t.Errorf("%s: %d cases, %d with results in memory, %d with a stack area", name, cases, inMemory, onStack)
		}
	}
}

// TestBuild assembles and links what would be launched, with each toolkit found,
// for the last target that it has, and compares the parameters that the
// linked kernels have with those that are passed.
func TestBuild(t *testing.T) {
	tools, err := oracle.Find()
	if err != nil {
		t.Fatal(err)
	}
	built := 0
	for _, tk := range tools.Toolkits {
		if tk.Nvlink == "" {
			continue
		}
		name := tk.Targets[len(tk.Targets)-1]
		target := row(t, name)
		b := &bench{toolkit: tk, target: target, seed: 9, n: 1, out: io.Discard}
		for _, fromRaw := range []bool{false, true} {
			if err := b.passings(new(count), fromRaw); err != nil {
				t.Fatalf("%s: %v", tk, err)
			}
		}
		for i := range 3 {
			e, err := newRecords(9, i, target)
			if err != nil {
				t.Fatal(err)
			}
			linked, err := tk.Build(t.Context(), name, nil, e.module(name, tk.PTX.String()))
			if err != nil {
				t.Fatal(err)
			}
			c, err := cubin.Open(linked)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Functions) != 1 || c.Functions[0].Name != kernelName || len(c.Functions[0].Params) != len(e.values)+1 {
				t.Fatalf("%s: %s: functions %v", tk, name, c.Functions)
			}
			for _, p := range c.Functions[0].Params {
				at := e.places.Params[p.Ordinal].Loc.Off - e.places.Block.Base
				if int(p.Offset) != at || int(p.Size) != e.places.Params[p.Ordinal].Size {
					t.Errorf("%s: %s: parameter %d: linked at %d, %d bytes; Assign says %s", tk, name, p.Ordinal, p.Offset, p.Size, e.places.String())
				}
			}
			built++
		}
	}
	if built == 0 {
		t.Skip(oracle.NotFound)
	}
}

// TestRun is the command without a device: it builds, and says that nothing was
// launched.
func TestRun(t *testing.T) {
	if _, err := toolkitFor("sm_80"); err != nil {
		t.Skip(err)
	}
	var out bytes.Buffer
	if err := run([]string{"-dry", "-target", "sm_80", "-n", "1"}, &out); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "built\n"); got != 4 {
		t.Errorf("%s", out.String())
	}
	// A device that writes nothing is noticed.
	f := newFake(t)
	f.answer(unsafe.Pointer(&elf[0]), 0, 0)
	out.Reset()
	err := run([]string{"-driver", f.path, "-target", "sm_80", "-n", "1"}, &out)
	if !errors.Is(err, errWrong) || !strings.Contains(out.String(), "arrived a5a5") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestExec runs a kernel of a file on the stand-in, which copies what it is given, and loses a byte.
func TestExec(t *testing.T) {
	f := newFake(t)
	file := filepath.Join(t.TempDir(), "k.cubin")
	if err := os.WriteFile(file, elf, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAKECUDA_COPY", "4")
	command := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(append([]string{"-driver", f.path}, args...), &out)
		return out.String(), err
	}
	for _, tt := range []struct{ lose, args, out, err string }{
		{"", "-probe", "Fake, sm_90, driver for CUDA 13.2\n", ""},
		{"", "-exec " + file + " -in 00a5ff10 -out 4", "00a5ff10\n", ""},
		{"1", "-exec " + file + " -in 00a5ff10 -out 4", "005aff10\n", ""}, // not written is not the byte that was wanted
		{"", "-exec " + file + " -in 00a5ff10 -out 6", "00a5ff10a5a5\n", ""},
		{"", "-exec " + file + " -in 0 -out 4", "", "-in: encoding/hex: odd length hex string"},
		{"", "-exec " + file + " -in 00 -out 0", "", "-exec needs bytes for -in, and a number of them for -out"},
		{"", "-exec " + file + " -kernel other -in 00 -out 1", "", "cuModuleGetFunction: error 500"},
	} {
		t.Setenv("FAKECUDA_LOSE", tt.lose)
		if tt.lose == "" {
			os.Unsetenv("FAKECUDA_LOSE")
		}
		out, err := command(strings.Fields(tt.args)...)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if out != tt.out || said != tt.err {
			t.Errorf("%s: %q, %s, expected %q, %s", tt.args, out, said, tt.out, tt.err)
		}
	}
	if _, err := command("-exec", filepath.Join(t.TempDir(), "none"), "-in", "00", "-out", "1"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
