package main

import (
	"bytes"
	"fmt"
	gobuild "go/build"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// least is how long a thing is repeated in one round to be timed.
const least = 50 * time.Millisecond

// timed runs f several times and returns the time of the processor for one. The
// first run does not count: it brings the memory that the others use again, and on
// a module of some megabytes there are only one or two more in a round.
func timed(f func() error) (time.Duration, error) {
	if err := f(); err != nil {
		return 0, err
	}
	runtime.GC()
	start := processor()
	for n := 1; ; n++ {
		if err := f(); err != nil {
			return 0, err
		}
		if spent := processor() - start; spent >= least {
			return spent / time.Duration(n), nil
		}
	}
}

// A cost is the time and the memory of a run of a command.
type cost struct {
	wall, cpu time.Duration // cpu: of all threads
	peak      int64         // bytes of memory; 0 if the system does not say
}

// process runs a command to its end, with its output thrown away.
func process(cmd *exec.Cmd) (cost, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("%.2000s%w", stderr.Bytes(), err)
	}
	return cost{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peakMemory(cmd.ProcessState)}, nil
}

// fastest is the fastest of some runs of a program, with the largest of their peaks.
func fastest(count int, dir, program string, args ...string) (best cost, err error) {
	for i := range count {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		c, err := process(cmd)
		if err != nil {
			return cost{}, fmt.Errorf("%v: %w", cmd.Args, err)
		}
		c.peak = max(c.peak, best.peak)
		if best.peak = c.peak; i == 0 || c.wall < best.wall {
			best = c
		}
	}
	return best, nil
}

// scanner adds the Go installation's scanner on the source of some of its
// largest packages.
func (s *session) scanner() error {
	var all []byte
	for _, dir := range []string{"net/http", "go/types", "runtime"} {
		files, _ := filepath.Glob(filepath.Join(gobuild.Default.GOROOT, "src", dir, "*.go"))
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			all = append(all, text...)
		}
	}
	if len(all) == 0 {
		s.notes = append(s.notes, goName+": no source in "+gobuild.Default.GOROOT)
		return nil
	}
	in := input{filepath.Join(s.dir, "all.go"), all}
	s.add(&contender{name: goName, version: runtime.Version(), what: "Go source", inputs: []input{in}, against: parseName, run: func(int) (time.Duration, error) {
		return alone(goName, in.file)
	}})
	return os.WriteFile(in.file, all, 0o666)
}
