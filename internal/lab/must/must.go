// Package must has what tests begin with: each function ends the test where there is an error.
package must

import (
	"os"
	"path/filepath"

	"github.com/ptxabi/ptxabi/abi"
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

// Glob returns the files that a pattern names.
func Glob(t tester, pattern string) []string {
	files, err := filepath.Glob(pattern)
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
