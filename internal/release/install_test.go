package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// The tests here build for this machine, install what was built and run the README's first command there.
// The gate runs them by PTXABI_RELEASE=1. With PTXABI_RELEASE=full the second of two builds that are
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
	list := must.Glob(t, filepath.Join(built(t), pattern))
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
	text := must.Read(t, filepath.Join(root, "README.md"))
	m := regexp.MustCompile("(?s)```console\n\\$ go run \\./cmd/ptxabi ([^\n]+)\n(.*?)```").FindSubmatch(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	require.NotNil(t, m)
	return strings.Fields(string(m[1])), string(m[2])
}

// works runs the README's first command by an installed ptxabi, in the repository and with nothing in the
// environment, and runs both programs for their version.
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

// documented is the program in docs/install.md in a language, and what it prints there.
func documented(t *testing.T, lang string) (program, want string) {
	t.Helper()
	text := must.Read(t, filepath.Join(root, "docs", "install.md"))
	m := regexp.MustCompile("(?s)```" + lang + "\n(.*?)```\n\nIt prints\n\n```text\n(.*?)```").FindSubmatch(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	require.NotNil(t, m)
	return string(m[1]), string(m[2])
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
	cmd := exec.Command("go", "run", "./internal/release", "-version", testVersion, "-platforms", "host", "-o", filepath.Join("..", "out"))
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
		a := must.Read(t, filepath.Join(dir, f.Name()))
		b := must.Read(t, filepath.Join(again, f.Name()))
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
		var stderr bytes.Buffer // for what Python warns of when it ends
		cmd.Stderr = &stderr
		require.NoError(t, cmd.Run(), "%s", &stderr)
		assert.Empty(t, stderr.String())
	}
	run(python)
	text, want := documented(t, "python")
	require.NoError(t, os.WriteFile(script, []byte(text), 0o666))
	assert.Equal(t, want, output(t, exec.Command(python, script)))
	require.NoError(t, os.WriteFile(script, pythonTest, 0o666))

	target := filepath.Join(dir, "target")
	output(t, exec.Command(python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", "--target", target, one(t, "*.whl")))
	output(t, exec.Command(python, "-m", "pip", "uninstall", "--quiet", "--yes", "ptxabi"))
	assert.NoFileExists(t, filepath.Join(bin, p.exe("ptxabi")))
	run(python, "PYTHONPATH="+target)
}

// emulated are the platforms whose programs run here, each with what runs them before it.
func emulated() map[platform][]string {
	all := make(map[platform][]string)
	for p, names := range map[platform][]string{
		{"linux", "amd64"}:   {"qemu-x86_64", "qemu-x86_64-static"},
		{"linux", "arm64"}:   {"qemu-aarch64", "qemu-aarch64-static"},
		{"windows", "amd64"}: {os.Getenv("WINE"), "wine64", "wine", "/usr/lib/wine/wine64"},
	} {
		for _, name := range names {
			if path, err := exec.LookPath(name); name != "" && err == nil {
				all[p] = []string{path}
				break
			}
		}
	}
	all[platform{runtime.GOOS, runtime.GOARCH}] = []string{}
	return all
}

// TestEveryPlatform builds for all platforms. Wheels are installed by pip as on each, and archives and Debian packages
// unpacked; the programs that this machine runs, by itself or by an emulator, do the README's first command.
func TestEveryPlatform(t *testing.T) {
	if os.Getenv(variable) != "full" {
		t.Skip("builds for all platforms; with " + variable + "=full alone")
	}
	base := t.TempDir()
	dir := filepath.Join(base, "out")
	require.NoError(t, run([]string{"-version", testVersion, "-o", dir}, os.Stdout, func(string) string { return "" }))
	python := filepath.Join(base, "env", "bin", "python")
	output(t, exec.Command(tool(t, "python3"), "-m", "venv", filepath.Join(base, "env")))
	args, want := first(t)
	run, ran := emulated(), 0
	for p, tags := range wheelTags {
		var roots []string // folders with the programs in them
		for _, tag := range tags {
			to := filepath.Join(base, tag)
			wheels := must.Glob(t, filepath.Join(dir, "*"+tag+"*.whl"))
			require.Len(t, wheels, 1, tag)
			output(t, exec.Command(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check",
				"--only-binary=:all:", "--platform", tag, "--target", to, wheels[0]))
			assert.FileExists(t, filepath.Join(to, "ptxabi", "__init__.py"))
			roots = append(roots, filepath.Join(to, "bin"))
		}
		archives := must.Glob(t, filepath.Join(dir, "ptxabi-"+testVersion+"-"+p.os+"-"+p.arch+".*"))
		require.Len(t, archives, 1)
		to := filepath.Join(base, "archive-"+p.String())
		require.NoError(t, os.MkdirAll(to, 0o777))
		if strings.HasSuffix(archives[0], ".zip") {
			output(t, exec.Command(python, "-m", "zipfile", "-e", archives[0], to))
		} else {
			output(t, exec.Command(tool(t, "tar"), "-xzf", archives[0], "-C", to))
		}
		roots = append(roots, filepath.Join(to, "ptxabi-"+testVersion, "bin"))
		if dpkg, err := exec.LookPath("dpkg"); p.os == "linux" && err == nil {
			to := filepath.Join(base, "deb-"+p.arch)
			output(t, exec.Command(dpkg, "-x", filepath.Join(dir, "ptxabi_0.1.0~rc2_"+p.arch+".deb"), to))
			roots = append(roots, filepath.Join(to, "usr", "bin"))
		}
		before, runs := run[p]
		if prefix := os.Getenv("WINEPREFIX"); p.os == "windows" && runs && len(before) > 0 {
			if prefix == "" {
				t.Setenv("WINEPREFIX", filepath.Join(base, "wine"))
			}
			t.Setenv("WINEDEBUG", "-all")
			if out, err := exec.Command(before[0], filepath.Join(roots[0], "ptxabi.exe"), "version").CombinedOutput(); err != nil {
				require.Contains(t, string(out), "bcryptprimitives.dll not found")
				t.Logf("%s is older than 9, and has not what programs of Go need; WINEPREFIX may name a prefix with that library", before[0])
				runs = false
			}
		}
		for _, root := range roots {
			for _, name := range programs {
				require.FileExists(t, filepath.Join(root, p.exe(name)))
			}
			if !runs {
				continue
			}
			ran++
			cmd := exec.Command(filepath.Join(root, p.exe("ptxabi")), args...)
			if len(before) > 0 {
				cmd = exec.Command(before[0], append([]string{filepath.Join(root, p.exe("ptxabi"))}, args...)...)
			}
			cmd.Dir = filepath.Join("..", "..")
			assert.Equal(t, want, output(t, cmd), "%s: %s", p, root)
		}
		t.Logf("%s: %d ways of installing, run here: %v %v", p, len(roots), runs, before)
	}
	assert.Positive(t, ran)
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
	text := must.Read(t, one(t, "Containerfile"))
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
	input := must.Read(t, filepath.Join(root, args[len(args)-1]))
	cmd := exec.Command(chroot, append([]string{"--userspec=65532:65532", dir, entry}, append(args[:len(args)-1:len(args)-1], "-")...)...)
	require.NoError(t, os.Chmod(dir, 0o755))
	cmd.Stdin = bytes.NewReader(input)
	assert.Equal(t, want, output(t, cmd))
}

// npmTest does with the package for npm what its types promise.
//
//go:embed testdata/npm_test.js
var npmTest []byte

// npmInstalled is a folder in which npm has installed the package, and beside it the test.
func npmInstalled(t *testing.T) string {
	t.Helper()
	built(t)
	npm, dir := tool(t, "npm"), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o666))
	cmd := exec.Command(npm, "install", "--offline", "--no-audit", "--no-fund", "--no-update-notifier", one(t, "*-npm.tgz"))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(dir, "cache"))
	output(t, cmd)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "npm_test.js"), npmTest, 0o666))
	return dir
}

// stepCubin is a cubin in base64.
func stepCubin(t *testing.T) string {
	data := must.Read(t, filepath.Join(root, "examples", "drift", "step.cubin"))
	return base64.StdEncoding.EncodeToString(data)
}

// barAnd is the README's module, and what assign prints of it.
func barAnd(t *testing.T) (bar []byte, want string) {
	t.Helper()
	args, want := first(t)
	require.Equal(t, "assign", args[0])
	bar = must.Read(t, filepath.Join(root, args[1]))
	return bar, want
}

func TestNodeInstalls(t *testing.T) {
	built(t)
	node, dir := tool(t, "node"), npmInstalled(t)
	bar, want := barAnd(t)
	text, err := json.Marshal([]string{string(bar), want, stepCubin(t)})
	require.NoError(t, err)
	main := "import * as ptxabi from 'ptxabi'; import { test } from './npm_test.js'; console.log(await test(ptxabi, ..." + string(text) + "));\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.js"), []byte(main), 0o666))
	assert.Equal(t, "ok\n", output(t, exec.Command(node, filepath.Join(dir, "main.js"))))

	script, printed := documented(t, "js")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.js"), []byte(script), 0o666))
	assert.Equal(t, printed, output(t, exec.Command(node, filepath.Join(dir, "main.js"))))

	// The command, with the files of this machine.
	args, _ := first(t)
	cmd := exec.Command(node, append([]string{filepath.Join(dir, "node_modules", "ptxabi", "bin.js")}, args...)...)
	cmd.Dir = root
	assert.Equal(t, want, output(t, cmd))
	link := filepath.Join(dir, "node_modules", ".bin", "ptxabi")
	if runtime.GOOS != "windows" {
		assert.Equal(t, "ptxabi "+testVersion+"\n", output(t, exec.Command(link, "version")))
	}
}

// TestBrowserLoads serves the package's files as they are, and has a page run the test.
func TestBrowserLoads(t *testing.T) {
	built(t)
	var chromium string
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			chromium = path
			break
		}
	}
	if chromium == "" {
		t.Skip("there is no Chromium here")
	}
	dir := npmInstalled(t)
	bar, want := barAnd(t)
	text, err := json.Marshal([]string{string(bar), want, stepCubin(t)})
	require.NoError(t, err)
	said := make(chan string, 1)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><script type="module">
import * as ptxabi from "/node_modules/ptxabi/index.js";
import { test } from "/npm_test.js";
const say = (text) => fetch("/said", { method: "POST", body: text });
test(ptxabi, ...`+strings.ReplaceAll(string(text), "<", `\u003c`)+`).then(say, (err) => say(String(err.stack)));
</script>`)
	})
	mux.HandleFunc("/said", func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		said <- string(text)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", server.URL+"/page")
	var stderr bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &stderr, 5*time.Second
	require.NoError(t, cmd.Start())
	select {
	case text := <-said:
		assert.Equal(t, "ok", text)
	case <-ctx.Done():
		t.Errorf("the page said nothing:\n%s", &stderr)
	}
	stop()
	cmd.Wait()
}

// TestTypes holds that the package's types are TypeScript's, and that a program that uses them wrongly is refused.
func TestTypes(t *testing.T) {
	built(t)
	tsc, dir := tool(t, "tsc"), npmInstalled(t)
	compile := func(text string) ([]byte, error) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "x.ts"), []byte(text), 0o666))
		cmd := exec.Command(tsc, "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "x.ts")
		cmd.Dir = dir
		return cmd.CombinedOutput()
	}
	const head = "import { assign, run } from 'ptxabi';\nconst a = await assign({ sig: 'func(4@4)' }, { target: 'sm_90' });\n"
	out, err := compile(head + "const l = a.functions[0].params[0].location;\nif (l.kind === 'register') { const r: number = l.register; console.log(r, (await run([])).status); }\n")
	require.NoError(t, err, string(out))
	out, err = compile(head + "const r: string = a.functions;\n")
	require.Error(t, err)
	assert.Contains(t, string(out), "x.ts(3,7): error TS2322")
}

// TestPreCommit has pre-commit run the hooks of this repository on others' files: with the wheel on the path, and
// with the wheel in an environment that pre-commit makes.
func TestPreCommit(t *testing.T) {
	built(t)
	if os.Getenv(variable) != "full" {
		t.Skip("pre-commit makes its environments from the network; with " + variable + "=full alone")
	}
	python, git, dir := tool(t, "python3"), tool(t, "git"), t.TempDir()
	env := filepath.Join(dir, "env")
	output(t, exec.Command(python, "-m", "venv", env))
	bin := filepath.Join(env, "bin")
	if runtime.GOOS == "windows" {
		bin = filepath.Join(env, "Scripts")
	}
	output(t, exec.Command(filepath.Join(bin, "pip"), "install", "--quiet", "--disable-pip-version-check", "pre-commit", one(t, "*.whl")))
	in := func(dir, name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "PRE_COMMIT_HOME="+filepath.Join(env, "home"),
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@x.invalid", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@x.invalid")
		return cmd
	}
	hooks, project := filepath.Join(dir, "hooks"), filepath.Join(dir, "project")
	text := must.Read(t, filepath.Join(root, ".pre-commit-hooks.yaml"))
	for _, repo := range []string{hooks, project} {
		require.NoError(t, os.Mkdir(repo, 0o777))
		output(t, in(repo, git, "init", "-q"))
	}
	require.NoError(t, os.WriteFile(filepath.Join(hooks, ".pre-commit-hooks.yaml"), text, 0o666))
	output(t, in(hooks, git, "add", "."))
	output(t, in(hooks, git, "commit", "-q", "-m", "hooks"))
	rev := strings.TrimSpace(output(t, in(hooks, git, "rev-parse", "HEAD")))

	text = must.Read(t, filepath.Join(root, "docs", "integrations.md"))
	_, local, ok := strings.Cut(string(text), "```yaml\nrepos:\n  - repo: local\n")
	require.True(t, ok)
	local, _, _ = strings.Cut("repos:\n  - repo: local\n"+local, "```")
	require.Contains(t, local, "WHEEL")

	configs := map[string]string{
		"installed": "repos:\n- repo: " + hooks + "\n  rev: " + rev + "\n  hooks:\n  - id: ptxabi-check-installed\n",
		"wheel":     strings.Replace(local, "WHEEL", one(t, "*.whl"), 1),
	}
	bar, _ := barAnd(t)
	const bad = ".version 7.8\n.target sm_80\n.visible .entry k(.param .u32 n)\n{\n\t.reg .b32 %r<2>;\n\tld.param.u32 %r1, [m];\n\tret;\n}\n"
	for name, config := range configs {
		require.NoError(t, os.WriteFile(filepath.Join(project, ".pre-commit-config.yaml"), []byte(config), 0o666))
		require.NoError(t, os.WriteFile(filepath.Join(project, "x.ptx"), bar, 0o666))
		output(t, in(project, git, "add", "."))
		output(t, in(project, filepath.Join(bin, "pre-commit"), "run", "--all-files"))
		require.NoError(t, os.WriteFile(filepath.Join(project, "x.ptx"), []byte(bad), 0o666))
		output(t, in(project, git, "add", "."))
		out, err := in(project, filepath.Join(bin, "pre-commit"), "run", "--all-files").CombinedOutput()
		assert.Error(t, err, name)
		assert.Contains(t, string(out), "x.ptx:6:21: error: m is not declared", name)
	}
}

// TestSizes compares the sizes that docs/install.md states, in whole megabytes, with the files.
func TestSizes(t *testing.T) {
	dir := built(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the document has the sizes for linux/amd64")
	}
	text := must.Read(t, filepath.Join(root, "docs", "install.md"))
	holds := func(name, stated string, size int) {
		want, err := strconv.Atoi(stated)
		require.NoError(t, err)
		assert.InDelta(t, want, float64(size)/1e6, 0.75, "docs/install.md says %s MB of %s", stated, name)
	}
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)`.* \\| (\\d+) MB \\|$").FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, 4)
	for _, row := range rows {
		pattern := strings.NewReplacer("_0.1.0_", "_*_", "-0.1.0-", "-*-", "…", "*").Replace(row[1])
		list := must.Glob(t, filepath.Join(dir, pattern))
		require.Len(t, list, 1, pattern)
		info, err := os.Stat(list[0])
		require.NoError(t, err)
		holds(row[1], row[2], int(info.Size()))
	}
	wasm := regexp.MustCompile("`ptxabi\\.wasm` from there: (\\d+) MB").FindSubmatch(text)
	require.NotNil(t, wasm)
	holds("ptxabi.wasm", string(wasm[1]), len(output(t, exec.Command(tool(t, "tar"), "-xzOf", one(t, "*-npm.tgz"), "package/ptxabi.wasm"))))
}
