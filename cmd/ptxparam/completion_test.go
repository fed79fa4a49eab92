package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script is what "ptxparam completion" prints, in a file.
func script(t *testing.T, shell string) (path, text string) {
	t.Helper()
	text, stderr, status := invoke("", "completion", shell)
	require.Zero(t, status, stderr)
	path = filepath.Join(t.TempDir(), "ptxparam")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path, text
}

// TestBashCompletion completes command lines in bash.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to complete in")
	}
	path, _ := script(t, "bash")
	for line, want := range map[string]string{
		"ptxparam -":                         "-type -kernel -rename -param -names -lang -I -isystem -D -include -rules -target -o -pkg -tags -emit-header -emit-ptx -binding -cubin -test -version -check -format -h",
		"ptxparam -type=A --emit":            "--emit-header --emit-ptx",
		"ptxparam x.h -te":                   "-test",
		"ptxparam -target sm_12":             "sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f",
		"ptxparam -kernel k --target = sm_3": "sm_35 sm_37",
		"ptxparam -binding cu":               "cuda5 cudago",
		"ptxparam -o -":                      "", // files are the shell's
		"ptxparam -type ":                    "",
		"ptxparam ":                          "",
	} {
		args := append([]string{
			"--norc", "--noprofile", "-c",
			`source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _ptxparam; echo "${COMPREPLY[*]}"`,
			"bash", path,
		}, strings.Split(line, " ")...)
		out, err := exec.Command(bash, args...).CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		assert.Equal(t, want, strings.TrimSpace(string(out)), line)
	}
	out, err := exec.Command(bash, "--norc", "--noprofile", "-c", `source "$1"; complete -p ptxparam`, "bash", path).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "complete -o default -F _ptxparam ptxparam\n", string(out))
}

// TestOtherShells asks the shells that are here whether they take the scripts,
// and holds that every flag is in them.
func TestOtherShells(t *testing.T) {
	for shell, flag := range map[string]string{"zsh": "'-%s[", "fish": " -o %s "} {
		path, text := script(t, shell)
		flags := program().Help.Flags
		assert.Len(t, flags, 23)
		for _, f := range flags {
			assert.Contains(t, text, strings.Replace(flag, "%s", f.Name, 1), shell)
		}
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("there is no %s here to read its script", shell)
			}
			out, err := exec.Command(program, "-n", path).CombinedOutput()
			require.NoError(t, err, string(out))
		})
	}
}

func TestCompletionRefuses(t *testing.T) {
	_, stderr, status := invoke("", "completion", "tcsh")
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, `completion: "tcsh" is none of bash, zsh, fish; see "ptxparam -h"`)
	_, stderr, status = invoke("", "completion", "bash", "zsh")
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "3 inputs, expected one: completion bash zsh")
}
