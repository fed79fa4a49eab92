package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// The goals of a command: the power of size that its time may grow with, and
// the memory of lower at 100 MB and above, in sizes of the input.
const (
	maxSlope  = 1.05
	maxMemory = 5
	heavy     = 100e6
)

var commands = [][]string{{"lower"}, {"check", "-c"}, {"assign"}}

// A cost is what a run of a command took.
type cost struct {
	wall, cpu time.Duration // cpu: of all threads
	peak      int64         // bytes of memory; 0 if the system does not say
}

// grow runs each command on modules of 1 MB to largest MB.
func grow(largest, count int) (text []byte, ok bool, err error) {
	dir, program, module, err := programs()
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	text = fmt.Appendf(nil, "%s, %d cores, the fastest of %d runs.\n\n", runtime.Version(), runtime.NumCPU(), count)
	table := bench.Table{{"command", "input", "wall", "processor", "MB/s of processor", "peak memory", "peak / input"}}
	ok = true
	var notes []byte
	for _, args := range commands {
		var sizes, times []float64
		name := "`ptxabi " + strings.Join(args, " ") + "`"
		for _, mb := range steps(largest) {
			file := filepath.Join(dir, fmt.Sprintf("%d.ptx", mb))
			size, err := write(file, module, "-size", fmt.Sprint(mb*1_000_000))
			if err != nil {
				return nil, false, err
			}
			best, err := fastest(count, program, append(args[:len(args):len(args)], file))
			if err != nil {
				return nil, false, err
			}
			sizes, times = append(sizes, size), append(times, best.cpu.Seconds())
			table = append(table, []string{
				name, fmt.Sprintf("%d MB", mb), fmt.Sprintf("%.2f s", best.wall.Seconds()), fmt.Sprintf("%.2f s", best.cpu.Seconds()),
				fmt.Sprintf("%.1f", size/1e6/best.cpu.Seconds()), fmt.Sprintf("%.0f MB", float64(best.peak)/1e6), fmt.Sprintf("%.1f", float64(best.peak)/size),
			})
			if args[0] == "lower" && size >= heavy && float64(best.peak) > maxMemory*size {
				ok = false
				notes = fmt.Appendf(notes, "%s at %d MB needs more than %d times its input.\n", name, mb, maxMemory)
			}
		}
		if len(sizes) > 1 {
			s := slope(sizes, times)
			verdict := "the goal"
			if s > maxSlope {
				verdict, ok = "MORE than the goal", false
			}
			notes = fmt.Appendf(notes, "%s: time of the processor grows with size to the power of %.3f, %s of at most %.2f.\n", name, s, verdict, maxSlope)
		}
	}
	text = append(text, table.Markdown()...)
	return append(append(text, '\n'), bytes.ReplaceAll(notes, []byte("\n"), []byte("  \n"))...), ok, nil
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

// steps are the sizes in MB up to the largest: powers of 4, and 100.
func steps(largest int) (list []int) {
	for _, mb := range []int{1, 4, 16, 64, 100, 256, 1024} {
		if mb <= largest {
			list = append(list, mb)
		}
	}
	return list
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
	var stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("%v: %w\n%.2000s", cmd.Args, err, stderr.Bytes())
	}
	return cost{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peakMemory(cmd.ProcessState)}, nil
}
