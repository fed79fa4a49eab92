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
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/ptx"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ptxparam": main})
}

// TestScripts runs testdata/script. Beside testscript's own commands, "status N
// COMMAND..." runs a command and requires that exit status, [long] holds in the gate,
// "mark FILE..." puts a byte-order mark before files, and "ptx FILE..." parses and checks files, and assembles them
// where PTXABI_ORACLE has one.
func TestScripts(t *testing.T) {
	kept := []string{"GOCACHE", "GOMODCACHE", "GOPATH"}
	out, err := exec.Command("go", append([]string{"env"}, kept...)...).Output()
	require.NoError(t, err)
	folders := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, folders, len(kept))
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       golden.Update(),
		Setup: func(e *testscript.Env) error {
			// The go command keeps what it has in the home folder.
			for i, name := range kept {
				e.Setenv(name, folders[i])
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
			"ptx": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, name := range args {
					m, err := ptx.Parse(name, []byte(ts.ReadFile(name)))
					ts.Check(err)
					ts.Check(check.Module(m, check.Options{Compile: true}).Err())
					for _, kit := range filepath.SplitList(os.Getenv("PTXABI_ORACLE")) {
						ptxas, err := exec.LookPath(filepath.Join(strings.TrimSuffix(kit, "/bin"), "bin", "ptxas"))
						if err == nil {
							ts.Check(ts.Exec(ptxas, "-c", "-arch", "sm_80", "-o", name+".cubin", name))
						}
					}
				}
			},
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

// repository is the folder with go.mod.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	return dir
}
