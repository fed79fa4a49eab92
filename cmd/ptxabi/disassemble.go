package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
)

// isELF reports whether a file is one of machine code.
func isELF(text string) bool { return strings.HasPrefix(text, "\x7fELF") }

// disassembled returns the listing that nvdisasm -c prints for a cubin. The command has no disassembler of its own: that of a
// CUDA toolkit is run where it is found, on the path or in the bin folder of CUDA_HOME or CUDA_PATH.
func disassembled(s *source) (string, error) {
	program, err := nvdisasm()
	if err != nil {
		name := s.path
		if name == "" {
			name = "FILE"
		}
		return "", fmt.Errorf("%s: a cubin, and nvdisasm is neither on the path nor in $CUDA_HOME/bin; where a CUDA toolkit is, run nvdisasm -c %s and give its output in place of it", s.name, name)
	}
	file := s.path
	if file == "" { // standard input, which nvdisasm does not read
		dir, err := os.MkdirTemp("", "ptxabi-")
		if err != nil {
			return "", disk.Reason(err)
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, "stdin.cubin")
		if err := os.WriteFile(file, []byte(s.text), 0o600); err != nil {
			return "", disk.Reason(err)
		}
	}
	if strings.HasPrefix(file, "-") {
		file = "." + string(filepath.Separator) + file
	}
	cmd := exec.Command(program, "-c", file)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return "", fmt.Errorf("%s: %s cannot read it: %s; a newer toolkit may", s.name, program, printable(first))
	case err != nil:
		return "", fmt.Errorf("%s: %s: %w", s.name, program, err)
	}
	return string(out), nil
}

// nvdisasm finds the disassembler.
func nvdisasm() (string, error) {
	program, err := exec.LookPath("nvdisasm")
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if home := os.Getenv(name); err != nil && home != "" {
			program, err = exec.LookPath(filepath.Join(home, "bin", "nvdisasm"))
		}
	}
	return program, err
}
