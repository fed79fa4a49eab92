package main

import (
	"os"
	"testing"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

// TestSessions runs testdata/session, in which "cat FILE" prints a file.
func TestSessions(t *testing.T) {
	golden.Sessions(t, "testdata/session", "../..", func(t *testing.T, args []string, _ []byte) (stdout, stderr string, status int) {
		if args[0] == "cat" {
			data, err := os.ReadFile(args[1])
			if err != nil {
				t.Fatal(err)
			}
			return string(data), "", 0
		}
		return invoke("", args...)
	}, nil)
}
