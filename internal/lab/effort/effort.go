// Package effort says how much work a test does. Long tests run in the gate, which sets
// PTXABI_LONG=1, and not in a plain "go test ./...".
package effort

import "os"

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

// A skipper is a test.
type skipper interface {
	Helper()
	Skip(args ...any)
}

// NeedLong skips a test outside of the gate.
func NeedLong(t skipper, why string) {
	t.Helper()
	if !Long() {
		t.Skip(why + "; with " + Variable + "=1 alone")
	}
}
