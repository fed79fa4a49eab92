package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// tool runs a program and returns all that it said.
func tool(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return string(out), nil
}

// assemble makes an object of PTX.
func (l *linker) assemble(file, text, target string, options ...string) (string, error) {
	if err := os.WriteFile(file+".ptx", []byte(text), 0o600); err != nil {
		return "", err
	}
	object := file + ".cubin"
	args := append([]string{"-c", "-arch", target, file + ".ptx", "-o", object}, options...)
	said, err := tool(l.Ptxas, args...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && !exit.Exited():
		return "", errCrash
	case err != nil:
		return "", fmt.Errorf("%w: %s", err, said)
	}
	return object, nil
}

// errCrash says that the assembler has crashed, as 12.4 does at times.
var errCrash = errors.New("the assembler has crashed")

// join links objects. The program is "" where the linker refuses them, also where the
// library nvJitLink logs an error and goes on.
func (l *linker) join(dir, target string, objects []string) (program, said string, err error) {
	result := filepath.Join(dir, "linked.cubin")
	os.Remove(result)
	said, err = tool(l.Nvlink, append(append([]string{"-arch", target}, objects...), "-o", result)...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return "", said, nil
	case err != nil:
		return "", said, err
	case hasError(said):
		return "", said, nil
	}
	return result, said, nil
}

// add adds an object to a set.
func add(set *link.Set, file string) (*cubin.File, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	f, err := cubin.Open(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return f, set.AddCubin(link.Place{Name: filepath.Base(file), File: file}, f)
}
