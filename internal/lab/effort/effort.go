// Package effort says how much work a test does. Long tests run in the gate, which sets
// PTXABI_LONG=1, and not in a plain "go test ./...". Tests that import it collect garbage late.
package effort

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
)

// Tests end soon, so their garbage may lie: to collect it takes a quarter of their time otherwise.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// Variable is 1 in the environment of the gate.
const Variable = "PTXABI_LONG"

// Long reports whether tests do all that they can.
func Long() bool { return os.Getenv(Variable) == "1" }

// Of returns how much of something a test does: ordinarily, or in the gate.
func Of[T any](ordinary, long T) T {
	if Long() {
		return long
	}
	return ordinary
}

// A tester is a test.
type tester interface {
	Helper()
	Skip(args ...any)
	Fatal(args ...any)
}

// RealModules returns the files of the modules that real compilers made; outside of the
// gate without the two dozen that take longer than all others. Root is the path of the
// repository from the test's package.
func RealModules(t tester, root string) []string {
	t.Helper()
	return slices.DeleteFunc(AllRealModules(t, root), func(file string) bool {
		info, err := os.Stat(file)
		return !Long() && err == nil && info.Size() > 30_000
	})
}

// AllRealModules returns all of them.
func AllRealModules(t tester, root string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "testdata", "real", "*.ptx"))
	if err != nil || len(files) < 25 {
		t.Fatal("the real modules are missing", err)
	}
	return files
}

// NeedLong skips a test outside of the gate.
func NeedLong(t tester, why string) {
	t.Helper()
	if !Long() {
		t.Skip(why + "; with " + Variable + "=1 alone")
	}
}

// Rustc returns the path of the compiler of Rust, and n of its version 1.n. It is "" where there is
// none, or none of 1.77 or later, which what is generated needs.
func Rustc() (path string, n int) {
	path, err := exec.LookPath("rustc")
	if err != nil {
		return "", 0
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", 0
	}
	if _, err := fmt.Sscanf(string(out), "rustc 1.%d", &n); err != nil || n < 77 {
		return "", 0
	}
	return path, n
}
