package main

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// A linker is NVIDIA's assembler and linker of one folder, and the device that runs what they make.
type linker struct {
	toolkit *oracle.Toolkit
	target  string
	device  *device // nil where there is none
}

// newLinker finds both in the folder of a toolkit.
func newLinker(folder string) (*linker, error) {
	kit := &oracle.Toolkit{Ptxas: filepath.Join(folder, "ptxas"), Nvlink: filepath.Join(folder, "nvlink")}
	for _, path := range []string{kit.Ptxas, kit.Nvlink} {
		if _, err := exec.LookPath(path); err != nil {
			return nil, err
		}
	}
	return &linker{toolkit: kit}, nil
}

// link assembles and links modules. Refused is the diagnostic of the linker, "" where it takes them; unlinked is
// the diagnostic of the assembler about one of them.
func (l *linker) link(mods []string) (linked []byte, refused, unlinked string, err error) {
	linked, err = l.toolkit.Build(context.Background(), l.target, []string{"-O3"}, mods...)
	var by *oracle.RefusedError
	if !errors.As(err, &by) {
		return linked, "", "", err
	}
	text := by.Program + ": " + firstLine([]byte(by.Output))
	if by.Program == "ptxas" {
		return nil, "", text, nil
	}
	return nil, text, "", nil
}

// firstLine is the first line of what a tool prints, without the position in a file.
func firstLine(printed []byte) string {
	for line := range strings.Lines(string(printed)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "go: downloading ") {
			if _, rest, ok := strings.Cut(line, "; "); ok && strings.HasPrefix(line, "ptxas ") {
				line = rest
			}
			return line
		}
	}
	return "an error without a word"
}
