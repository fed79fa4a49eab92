package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A linker is NVIDIA's assembler and linker of one folder, and the device that runs what they make.
type linker struct {
	ptxas, nvlink, target string
	dir                   string  // of files
	device                *device // nil where there is none
}

// newLinker finds both in the folder of a toolkit.
func newLinker(toolkit, dir string) (*linker, error) {
	l := &linker{ptxas: filepath.Join(toolkit, "ptxas"), nvlink: filepath.Join(toolkit, "nvlink"), dir: dir}
	for _, path := range []string{l.ptxas, l.nvlink} {
		if _, err := exec.LookPath(path); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// linked is the file that link makes.
func (l *linker) linked() string { return filepath.Join(l.dir, "linked.cubin") }

// link assembles and links modules. Refused is what the linker says against them, "" where it
// takes them; unlinked is what the assembler says against one of them.
func (l *linker) link(mods []string) (refused, unlinked string, err error) {
	args := []string{"-arch", l.target, "-o", l.linked()}
	for i, m := range mods {
		in, object := filepath.Join(l.dir, fmt.Sprintf("%d.ptx", i)), filepath.Join(l.dir, fmt.Sprintf("%d.cubin", i))
		if err := os.WriteFile(in, []byte(m), 0o600); err != nil {
			return "", "", err
		}
		if said, err := exec.Command(l.ptxas, "-c", "-arch", l.target, in, "-o", object).CombinedOutput(); err != nil {
			return "", "ptxas: " + firstLine(said), nil
		}
		args = append(args, object)
	}
	if said, err := exec.Command(l.nvlink, args...).CombinedOutput(); err != nil {
		return "nvlink: " + firstLine(said), "", nil
	}
	return "", "", nil
}

// firstLine is the first line that a tool says, without the folder of what it was given.
func firstLine(said []byte) string {
	for line := range strings.Lines(string(said)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "go: downloading ") {
			if _, rest, ok := strings.Cut(line, "; "); ok && strings.HasPrefix(line, "ptxas ") {
				line = rest
			}
			return line
		}
	}
	return "an error without a word"
}
