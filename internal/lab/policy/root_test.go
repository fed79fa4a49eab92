// Package policy holds the module to its own rules: which package may import which, what the public
// packages export, and what workflows name.
package policy_test

import (
	"os"
	"testing"
)

// TestMain runs the tests where the module is.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
