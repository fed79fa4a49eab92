package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ptxparam": main})
}

// TestScripts runs testdata/script. Beside testscript's own commands, "status N
// COMMAND..." runs a command and requires that exit status, [long] holds in the gate, and
// "mark FILE..." puts a byte-order mark before files.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       golden.Update(),
		Setup: func(e *testscript.Env) error {
			// The go command keeps what it has in the home folder.
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
				out, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return err
				}
				e.Setenv(name, strings.TrimSpace(string(out)))
			}
			e.Setenv("GOFILE", "")
			e.Setenv("REPOSITORY", repository(t))
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "long" {
				return false, fmt.Errorf("the condition %q is not known", name)
			}
			return effort.Long(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"mark": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, name := range args {
					text := "\ufeff" + ts.ReadFile(name)
					ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o666))
				}
			},
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

// TestLinks checks that a link stays one, and that permissions do.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	layHeaders(t, dir)
	assert.NoError(t, os.WriteFile(filepath.Join(dir, "real.txt"), nil, 0o640))
	if err := os.Symlink("real.txt", filepath.Join(dir, "plain_param.go")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	_, stderr, status := invoke(dir, "-type=Plain", "x.go")
	assert.Zero(t, status, stderr)
	info, err := os.Lstat(filepath.Join(dir, "real.txt"))
	assert.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode())
	assert.NotZero(t, info.Size())
	to, err := os.Readlink(filepath.Join(dir, "plain_param.go"))
	assert.NoError(t, err)
	assert.Equal(t, "real.txt", to)
}
