package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

//go:embed numba.py
var numbaProgram string

// A numba is a Python that compiles with numba-cuda, one request after the other.
type numba struct {
	name string // "numba 0.62.1, numba-cuda 0.20.1"
	in   io.Writer
	out  *bufio.Reader
}

// startNumba starts it. It ends with this program.
func startNumba(python string) (*numba, error) {
	cmd := exec.Command(python, "-c", numbaProgram)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &numba{in: in, out: bufio.NewReader(out)}
	n.name, err = n.line()
	return n, err
}

func (n *numba) line() (string, error) {
	line, err := n.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("numba: %w", err)
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// compile compiles one side of a pair to base.ptx. A caller calls what has Numba's own
// convention.
func (n *numba) compile(base string, one source) (string, error) {
	request, err := json.Marshal(map[string]any{"caller": one.caller, "params": append([]string{}, one.sig.params...), "result": one.sig.result, "out": base + ".ptx"})
	if err != nil {
		return "", err
	}
	if _, err := n.in.Write(append(request, '\n')); err != nil {
		return "", err
	}
	said, err := n.line()
	if err == nil && said != "" {
		err = errors.New("numba refuses it")
	}
	return said, err
}
