// Package must has what tests begin with: each function ends the test where there is an error.
package must

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ptxabi/ptxabi/abi"
	_ "github.com/ptxabi/ptxabi/internal/lab/effort" // which lets garbage lie
	"github.com/ptxabi/ptxabi/ptx"
)

// A tester is a test, or takes the place of one.
type tester interface {
	Errorf(format string, args ...any)
	FailNow()
}

// must returns v, or ends the test.
func must[T any](t tester, v T, err error) T {
	if err != nil {
		t.Errorf("%v", err)
		t.FailNow()
	}
	return v
}

// Read returns a file.
func Read(t tester, name string) []byte {
	data, err := os.ReadFile(name)
	return must(t, data, err)
}

// Glob returns the files that a pattern names: one at least.
func Glob(t tester, pattern string) []string {
	files, err := filepath.Glob(pattern)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there is no %s", pattern)
	}
	return must(t, files, err)
}

// Target returns the target with a name.
func Target(t tester, name string) *abi.Target {
	target, err := abi.Lookup(name)
	return must(t, target, err)
}

// Parse returns the module that a text is.
func Parse(t tester, name string, text []byte) *ptx.Module {
	m, err := ptx.Parse(name, text)
	return must(t, m, err)
}
