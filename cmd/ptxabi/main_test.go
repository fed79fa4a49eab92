package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ptxabi": main})
}

// TestScripts runs testdata/script. Beside testscript's own commands, "status N
// COMMAND..." runs a command and requires that exit status.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       golden.Update(),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: status N COMMAND...")
				}
				got := 0
				if err := ts.Exec(args[1], args[2:]...); err != nil {
					exit := (*exec.ExitError)(nil)
					if !errors.As(err, &exit) {
						ts.Fatalf("%v", err)
					}
					got = exit.ExitCode()
				}
				if want, err := strconv.Atoi(args[0]); err != nil || got != want {
					ts.Fatalf("exit status %d, expected %s", got, args[0])
				}
			},
		},
	})
}

// A result is the output of a run of the program, and its exit status.
type result struct {
	stdout, stderr string
	status         int
}

// ptxabi runs the program in this process, away from terminals.
func ptxabi(stdin []byte, args ...string) result {
	return ptxabiOn(false, nil, stdin, args...)
}

// ptxabiOn runs it with standard error on a terminal or not.
func ptxabiOn(terminal bool, environment map[string]string, stdin []byte, args ...string) result {
	var stdout, stderr strings.Builder
	ended, end := context.WithCancel(context.Background())
	end()
	status := run(args, env{
		end:   ended,
		stdin: bytes.NewReader(stdin), stdout: &stdout, stderr: &stderr,
		getenv: func(name string) string { return environment[name] }, terminal: terminal, screen: terminal, columns: 60,
	})
	return result{stdout.String(), stderr.String(), status}
}

// TestNullDevice holds that what is thrown away is not painted and folded as on a screen.
func TestNullDevice(t *testing.T) {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer f.Close()
	assert.False(t, isTerminal(f))
}

// TestCollectLate holds that the heap is collected late once, and then as usual.
func TestCollectLate(t *testing.T) {
	was := debug.SetGCPercent(100)
	defer debug.SetGCPercent(was)
	collectLate()
	assert.Equal(t, 800, debug.SetGCPercent(800))
	runtime.GC()
	assert.Eventually(t, func() bool {
		percent := debug.SetGCPercent(100)
		if percent != 100 {
			debug.SetGCPercent(percent)
		}
		return percent == 100
	}, 10*time.Second, time.Millisecond)
}
