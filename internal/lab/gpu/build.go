package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// assemble makes a cubin for a launch out of modules, each of them assembled by
// itself for separate linking.
func assemble(tk *oracle.Toolkit, target string, modules ...string) ([]byte, error) {
	if tk.Nvlink == "" {
		return nil, fmt.Errorf("%s has no nvlink beside it", tk)
	}
	dir, err := os.MkdirTemp("", "ptxabi-gpu-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	result := filepath.Join(dir, "linked.cubin")
	args := []string{"-arch", target, "-o", result}
	for i, m := range modules {
		cubin, err := tk.Assemble(context.Background(), m, target)
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, m)
		}
		file := filepath.Join(dir, fmt.Sprintf("%d.cubin", i))
		if err := os.WriteFile(file, cubin, 0o600); err != nil {
			return nil, err
		}
		args = append(args, file)
	}
	out, err := exec.Command(tk.Nvlink, args...).CombinedOutput()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("nvlink for %s: %w: %s", target, err, out))
	}
	return os.ReadFile(result)
}
