package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
)

// A device is a GPU, which internal/lab/gpu reaches: a module of its own, and so a program.
type device struct {
	program, driver string
	cubin           string // the file that the program runs
	name            string // "NVIDIA H100 PCIe, sm_90, driver for CUDA 13.0"
	sm              string // "sm_90"
}

// build builds the program in dir and returns its path.
func build(dir string) (string, error) {
	module, err := printed("go", "list", "-m", "-f", "{{.Dir}}", "github.com/ptxabi/ptxabi")
	if err != nil {
		return "", fmt.Errorf("where the program is that runs kernels: %w", err)
	}
	program := filepath.Join(dir, "gpu")
	if _, err := printed("go", "build", "-C", filepath.Join(module, "internal", "lab", "gpu"), "-o", program, "."); err != nil {
		return "", fmt.Errorf("the program that runs kernels: %w", err)
	}
	return program, nil
}

// findDevice runs the program to find a device. The error says why there is none.
func findDevice(program, driver string) (*device, error) {
	d := &device{program: program, driver: driver, cubin: program + ".cubin"}
	var err error
	if d.name, err = printed(d.program, "-driver", driver, "-probe"); err != nil {
		return nil, err
	}
	if d.sm = regexp.MustCompile(`sm_\d+`).FindString(d.name); d.sm == "" {
		return nil, fmt.Errorf("what the device is: %q", d.name)
	}
	return d, nil
}

// runs reports whether the device runs what is assembled for a target: of its generation, and not newer.
func (d *device) runs(target string) bool {
	if strings.HasSuffix(target, "a") { // of this architecture alone
		return target == d.sm+"a"
	}
	own, err := abi.Assume(d.sm)
	row, unknown := abi.Assume(target)
	return err == nil && unknown == nil && own.SM/10 == row.SM/10 && row.SM <= own.SM
}

// execute runs the kernel k of a cubin: it passes a value, and returns what arrived.
func (d *device) execute(cubin, value []byte) ([]byte, error) {
	if err := os.WriteFile(d.cubin, cubin, 0o600); err != nil {
		return nil, err
	}
	out, err := printed(d.program, "-driver", d.driver, "-exec", d.cubin, "-in", hex.EncodeToString(value), "-out", fmt.Sprint(len(value)))
	if err != nil {
		return nil, err
	}
	got, err := hex.DecodeString(out)
	if err != nil || len(got) != len(value) {
		return nil, fmt.Errorf("the device answers %q", out)
	}
	return got, nil
}

// printed is what a program prints. Its error is the first line of the diagnostics.
func printed(program string, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && stderr.Len() > 0 {
		return "", errors.New(strings.TrimPrefix(firstLine(stderr.Bytes()), "gpu: "))
	}
	return strings.TrimSpace(string(out)), err
}

// onDevice links a pair with a kernel, runs it, and adds to a verdict what becomes of the value. Where the simulator has none, the
// verdict is the device's.
func (l *linker) onDevice(v *verdict, value, mask []byte) error {
	linked, refused, unlinked, err := l.link(append(slices.Clip(v.texts), kernel))
	if err != nil || refused != "" || unlinked != "" {
		return err
	}
	v.OnDevice = true
	var there verdict
	got, err := l.device.execute(linked, value)
	if err != nil {
		there.Fault = err.Error()
	}
	for i := range got {
		if (got[i]^value[i])&mask[i] != 0 {
			there.Wrong = append(there.Wrong, i)
		}
	}
	switch {
	case v.Unrun != "":
		v.Unrun, v.Fault, v.Wrong = "", there.Fault, there.Wrong
	case there.ok() != v.ok() || !slices.Equal(there.Wrong, v.Wrong):
		v.Device = "on the device it " + there.outcome()
	}
	return nil
}
