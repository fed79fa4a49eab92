package main

import (
	"bytes"
	"fmt"
	"go/build"
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

// process runs a program to its end and returns the time of the processor. Its
// output is thrown away.
func process(cmd *exec.Cmd) (time.Duration, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s%w", stderr.Bytes(), err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// scanner adds the Go installation's scanner on the source of some of its
// largest packages.
func (s *session) scanner() error {
	var all []byte
	for _, dir := range []string{"net/http", "go/types", "runtime"} {
		files, _ := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", dir, "*.go"))
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			all = append(all, text...)
		}
	}
	if len(all) == 0 {
		s.notes = append(s.notes, goName+": no source in "+build.Default.GOROOT)
		return nil
	}
	return s.alone(goName, "Go source", parseName, "all.go", all)
}
