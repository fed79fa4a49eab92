package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// llc adds LLVM's code generator on the intermediate code of a large module. It
// reads no PTX; what counts is the PTX that it writes.
func (s *session) llc() error {
	clang, llc := look("clang-19", "clang"), look("llc-19", "llc")
	if clang == "" || llc == "" {
		return errors.New("clang or llc is not on PATH")
	}
	source, ir := filepath.Join(s.dir, "large.c"), filepath.Join(s.dir, "large.ll")
	text, err := exec.Command("go", "run", "./testdata/real/large").Output()
	if err != nil {
		return err
	}
	if err := os.WriteFile(source, text, 0o666); err != nil {
		return err
	}
	if _, err := process(exec.Command(clang, "--target=nvptx64-nvidia-cuda", "-march=sm_80", "-O1", "-w", "-S", "-emit-llvm", "-o", ir, source)); err != nil {
		return err
	}
	version, err := exec.Command(llc, "--version").Output()
	if err != nil {
		return err
	}
	out := filepath.Join(s.dir, "large.ptx")
	run := func(int) (time.Duration, error) {
		c, err := process(exec.Command(llc, "-O0", "-o", out, ir))
		return c.cpu, err
	}
	if _, err := run(0); err != nil {
		return err
	}
	written, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	s.add(&contender{
		name: "`llc -O0`, by the PTX it writes", version: string(regexp.MustCompile(`\d+\.\d+\.\d+`).Find(version)),
		what: fmt.Sprintf("%.1f MB of PTX from LLVM's IR", float64(len(written))/1e6), inputs: []input{{text: written}}, against: lowerName, run: run,
	})
	return nil
}

// look returns the path of the first program that is on PATH.
func look(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
