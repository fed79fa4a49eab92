package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A cost is what a run of a command took.
type cost struct {
	wall, cpu time.Duration // cpu: of all threads
	peak      int64         // bytes of memory; 0 if the system does not say
}

// programs builds the command and what makes modules, in a folder that the caller
// removes. Modules are made by a process of its own: the peak that the system
// reports for a child is at least its parent's.
func programs() (dir, command, module string, err error) {
	if dir, err = os.MkdirTemp("", "scale"); err != nil {
		return "", "", "", err
	}
	if command, err = build(dir, "cmd/ptxabi"); err == nil {
		module, err = build(dir, "internal/lab/bench/module")
	}
	if err != nil {
		os.RemoveAll(dir)
	}
	return dir, command, module, err
}

// build builds a program of this module in dir, as one that is to be copied to
// other machines: of Go alone.
func build(dir, pkg string) (program string, err error) {
	program = filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-o", program, "github.com/ptxabi/ptxabi/"+pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// write writes the output of a program to a file, unless that is there, and
// returns its size in bytes.
func write(file, program string, args ...string) (size float64, err error) {
	if info, err := os.Stat(file); err == nil {
		return float64(info.Size()), nil
	}
	f, err := os.Create(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = f, os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%v: %w", cmd.Args, err)
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}

// fastest is the fastest of some runs of a program, with more in its environment.
func fastest(count int, program string, args []string, env ...string) (best cost, err error) {
	for i := range count {
		c, err := measure(program, args, env)
		if err != nil {
			return cost{}, err
		}
		if i == 0 || c.cpu < best.cpu {
			c.peak = max(c.peak, best.peak)
			best = c
		}
		best.peak = max(best.peak, c.peak)
	}
	return best, nil
}

// measure runs a program with its output thrown away.
func measure(program string, args, env []string) (cost, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	return timed(cmd)
}

// timed runs a command with its output thrown away.
func timed(cmd *exec.Cmd) (cost, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("%v: %w\n%.2000s", cmd.Args, err, stderr.Bytes())
	}
	return cost{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peakMemory(cmd.ProcessState)}, nil
}
