package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests here build for this machine, install what was built and run the README's first command there.
// The gate asks for them by PTXABI_RELEASE=1. With PTXABI_RELEASE=full the second of two builds that are
// compared compiles everything anew, and tests that need the network run too.
const variable = "PTXABI_RELEASE"

const testVersion = "0.1.0-rc.2"

// built is the folder of the build that all tests look at.
var built = func() func(t *testing.T) string {
	var dir string
	return func(t *testing.T) string {
		t.Helper()
		if os.Getenv(variable) == "" {
			t.Skip("builds a release; with " + variable + "=1 alone")
		}
		if dir == "" {
			base, err := os.MkdirTemp("", "release")
			require.NoError(t, err)
			cleanups = append(cleanups, base)
			out := filepath.Join(base, "out")
			require.NoError(t, run([]string{"-version", testVersion, "-platforms", "host", "-o", out}, os.Stdout, func(string) string { return "" }))
			dir = out
		}
		return dir
	}
}()

var cleanups []string

func TestMain(m *testing.M) {
	status := m.Run()
	for _, dir := range cleanups {
		os.RemoveAll(dir)
	}
	os.Exit(status)
}

// tool is the path of a program that a test needs.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s here", name)
	}
	return path
}

// one is the one file of the build that matches the pattern.
func one(t *testing.T, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(built(t), pattern))
	require.NoError(t, err)
	require.Len(t, list, 1, pattern)
	return list[0]
}

// output runs a command and returns what it prints.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "%s\n%s%s", strings.Join(cmd.Args, " "), &stdout, &stderr)
	return stdout.String()
}

const root = "../.."

// first is the README's first command, without "go run ./cmd/", and what it prints there.
func first(t *testing.T) (args []string, want string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```console\n\\$ go run \\./cmd/ptxabi ([^\n]+)\n(.*?)```").FindSubmatch(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	require.NotNil(t, m)
	return strings.Fields(string(m[1])), string(m[2])
}

// works runs the README's first command by an installed ptxabi, in the repository and with nothing in the
// environment, and asks both programs for their version.
func works(t *testing.T, dir string) {
	t.Helper()
	p := platform{runtime.GOOS, runtime.GOARCH}
	args, want := first(t)
	cmd := exec.Command(filepath.Join(dir, p.exe("ptxabi")), args...)
	cmd.Dir, cmd.Env = root, []string{}
	assert.Equal(t, want, output(t, cmd))
	assert.Equal(t, "ptxabi "+testVersion+"\n", output(t, exec.Command(filepath.Join(dir, p.exe("ptxabi")), "version")))
	assert.Equal(t, "ptxparam "+testVersion+"\n", output(t, exec.Command(filepath.Join(dir, p.exe("ptxparam")), "-version")))
}

func TestArchiveInstalls(t *testing.T) {
	built(t)
	if runtime.GOOS == "windows" {
		t.Skip("the archive for windows is unpacked elsewhere")
	}
	tar, dir := tool(t, "tar"), t.TempDir()
	output(t, exec.Command(tar, "-xzf", one(t, "*.tar.gz"), "-C", dir))
	works(t, filepath.Join(dir, "ptxabi-"+testVersion, "bin"))
}

func TestChecksums(t *testing.T) {
	dir := built(t)
	cmd := exec.Command(tool(t, "sha256sum"), "--check", "--strict", "SHA256SUMS")
	cmd.Dir = dir
	lines := strings.Count(output(t, cmd), ": OK\n")
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Equal(t, len(list)-1, lines)
}

// TestReproducible builds a copy of the module in another folder, and compares every byte.
func TestReproducible(t *testing.T) {
	dir := built(t)
	elsewhere := t.TempDir()
	copyModule(t, filepath.Join(elsewhere, "clone"))
	again := filepath.Join(elsewhere, "out")
	cmd := exec.Command("go", "run", "./internal/release", "-version", testVersion, "-platforms", "host", "-o", again)
	cmd.Dir = filepath.Join(elsewhere, "clone")
	cmd.Env = os.Environ()
	if os.Getenv(variable) == "full" {
		cmd.Env = append(cmd.Env, "GOCACHE="+filepath.Join(elsewhere, "cache"))
	} else {
		t.Log("the second build may take compiled packages from the cache of the first; " + variable + "=full compiles all anew")
	}
	output(t, cmd)
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range list {
		a, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(again, f.Name()))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(a, b), "%s differs", f.Name())
	}
	others, err := os.ReadDir(again)
	require.NoError(t, err)
	assert.Len(t, others, len(list))
}

// copyModule copies what a release is built of.
func copyModule(t *testing.T, to string) {
	t.Helper()
	files := output(t, gitList())
	for name := range strings.SplitSeq(strings.Trim(files, "\x00"), "\x00") {
		if strings.Contains("/"+name, "/testdata/") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		require.NoError(t, err)
		path := filepath.Join(to, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, data, 0o666))
	}
}

func gitList() *exec.Cmd {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	return cmd
}
