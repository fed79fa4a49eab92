package main

import (
	"bytes"
	_ "embed"
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

// pythonTest does with the wheel what its module promises.
//
//go:embed testdata/wheel_test.py
var pythonTest []byte

func TestWheelInstalls(t *testing.T) {
	built(t)
	python, dir := tool(t, "python3"), t.TempDir()
	output(t, exec.Command(python, "-m", "venv", dir))
	bin := filepath.Join(dir, "bin")
	if runtime.GOOS == "windows" {
		bin = filepath.Join(dir, "Scripts")
	}
	p := platform{runtime.GOOS, runtime.GOARCH}
	python = filepath.Join(bin, p.exe("python"))
	output(t, exec.Command(python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", one(t, "*.whl")))
	works(t, bin)
	script := filepath.Join(dir, "wheel_test.py")
	require.NoError(t, os.WriteFile(script, pythonTest, 0o666))
	run := func(python string, env ...string) {
		cmd := exec.Command(python, "-W", "error", script)
		cmd.Dir, cmd.Env = root, append([]string{"PATH="}, env...)
		output(t, cmd)
	}
	run(python)

	target := filepath.Join(dir, "target")
	output(t, exec.Command(python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", "--target", target, one(t, "*.whl")))
	output(t, exec.Command(python, "-m", "pip", "uninstall", "--quiet", "--yes", "ptxabi"))
	assert.NoFileExists(t, filepath.Join(bin, p.exe("ptxabi")))
	run(python, "PYTHONPATH="+target)
}

func TestDebianInstalls(t *testing.T) {
	built(t)
	if runtime.GOOS != "linux" {
		t.Skip("Debian packages are for linux")
	}
	dpkg, dir := tool(t, "dpkg"), t.TempDir()
	deb := one(t, "*.deb")
	output(t, exec.Command(dpkg, "-x", deb, filepath.Join(dir, "x")))
	works(t, filepath.Join(dir, "x", "usr", "bin"))

	// An empty system, which dpkg installs into and removes from.
	system := filepath.Join(dir, "system")
	require.NoError(t, os.MkdirAll(filepath.Join(system, "var", "lib", "dpkg"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(system, "var", "lib", "dpkg", "status"), nil, 0o666))
	at := func(args ...string) *exec.Cmd {
		return exec.Command(dpkg, append([]string{"--root=" + system, "--force-not-root", "--log=" + filepath.Join(dir, "log")}, args...)...)
	}
	output(t, at("--install", deb))
	works(t, filepath.Join(system, "usr", "bin"))
	assert.Empty(t, output(t, at("--verify", "ptxabi")))
	assert.Contains(t, output(t, at("--status", "ptxabi")), "\nVersion: 0.1.0~rc2\n")
	output(t, at("--remove", "ptxabi"))
	assert.NoFileExists(t, filepath.Join(system, "usr", "bin", "ptxabi"))
}

// TestContainer makes the root of the image as its Containerfile says, and runs the program in it.
func TestContainer(t *testing.T) {
	built(t)
	if runtime.GOOS != "linux" {
		t.Skip("the container is for linux")
	}
	tar, chroot, dir := tool(t, "tar"), tool(t, "chroot"), t.TempDir()
	if os.Getuid() != 0 {
		t.Skip("only root can change the root")
	}
	text, err := os.ReadFile(one(t, "Containerfile"))
	require.NoError(t, err)
	var entry string
	for line := range strings.Lines(string(text)) {
		switch words := strings.Fields(line); words[0] {
		case "ADD":
			require.Len(t, words, 3)
			from := strings.ReplaceAll(words[1], "${TARGETARCH}", runtime.GOARCH)
			output(t, exec.Command(tar, "-xzf", one(t, from), "-C", filepath.Join(dir, words[2])))
		case "ENV":
			entry = strings.TrimPrefix(words[1], "PATH=") + "/ptxabi"
		}
	}
	require.NotEmpty(t, entry)
	args, want := first(t)
	input, err := os.ReadFile(filepath.Join(root, args[len(args)-1]))
	require.NoError(t, err)
	cmd := exec.Command(chroot, append([]string{"--userspec=65532:65532", dir, entry}, append(args[:len(args)-1:len(args)-1], "-")...)...)
	require.NoError(t, os.Chmod(dir, 0o755))
	cmd.Stdin = bytes.NewReader(input)
	assert.Equal(t, want, output(t, cmd))
}
