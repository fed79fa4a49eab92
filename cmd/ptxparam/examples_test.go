package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// repository is the folder with go.mod.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	return dir
}

// copyTree copies a folder of text files.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
}

// read returns the files of a tree by their paths.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	}))
	return out
}

// TestExamples generates the examples again, in a copy, which changes nothing. In the gate
// go generate does so, and the examples are run: the copy is a module with ptxparam as a
// tool and a replace line.
func TestExamples(t *testing.T) {
	root := repository(t)
	dir := t.TempDir()
	copyTree(t, filepath.Join(root, "examples"), dir)
	before := read(t, dir)
	mod := strings.Replace(before["go.mod"], "=> ../", "=> "+filepath.ToSlash(root), 1)
	require.NotEqual(t, before["go.mod"], mod)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666))
	for name := range before {
		if strings.HasSuffix(name, ".go") && strings.HasPrefix(before[name], "// Code generated") {
			require.NoError(t, os.Remove(filepath.Join(dir, filepath.FromSlash(name))))
		}
	}
	env := []string{"GOFLAGS=-mod=readonly"}
	if effort.Long() {
		tool(t, dir, env, "go", "generate", "./...")
	} else {
		_, stderr, status := invoke(dir, "./...")
		require.Zero(t, status, stderr)
	}
	after := read(t, dir)
	after["go.mod"] = before["go.mod"]
	for name := range before {
		assert.Equal(t, before[name], after[name], "%s is not what go generate makes of the examples", name)
	}
	assert.Len(t, after, len(before))
	m := must.Parse(t, "saxpy.ptx", []byte(before["pack/saxpy.ptx"]))
	assert.Empty(t, check.Module(m, check.Options{}))
	if !effort.Long() {
		return
	}
	tool(t, dir, env, "go", "vet", "./...")
	tool(t, dir, env, "go", "test", "./...")
	assert.Contains(t, tool(t, dir, env, "go", "run", "./pack"), "40 bytes\n00000000  01 00 00 00 00 00 00 00  00 00 00 7f 00 00 00 00")
	assert.Contains(t, tool(t, dir, env, "go", "run", "./header"), "particle at 0, dt at 48, out at 56, n at 64; 68 bytes")

	assert.Equal(t, "0400000002000000 and what lies there\n0400000002000000000000000000e03f\n", tool(t, dir, env, "go", "run", "./corrupt"))

	text := []byte(tool(t, dir, env, "go", "run", "./emitter"))
	m = must.Parse(t, "emitter.ptx", text)
	assert.Empty(t, check.Module(m, check.Options{Compile: true}))
}

// TestGoTool does what the documentation tells to: go get -tool in a new
// module, here with a replace line, and a //go:generate line.
func TestGoTool(t *testing.T) {
	effort.NeedLong(t, "builds programs")
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", "module example.org/user\n\ngo 1.26\n\nrequire github.com/ptxabi/ptxabi v0.0.0\n\nreplace github.com/ptxabi/ptxabi => "+filepath.ToSlash(repository(t))+"\n")
	write("x.go", "package user\n\n//go:generate go tool ptxparam -type=Params -test\n\ntype Params struct {\n\tA int8\n\tB int64\n}\n\nfunc Bytes(p *Params) []byte { return p.AppendParam(nil) }\n")
	sum := must.Read(t, filepath.Join(repository(t), "go.sum"))
	write("go.sum", string(sum))
	env := []string{"GOSUMDB=off"}
	cmd := []string{"get", "-tool", "github.com/ptxabi/ptxabi/cmd/ptxparam"}
	quiet(t, dir, env, "go", cmd...)
	mod := must.Read(t, filepath.Join(dir, "go.mod"))
	assert.Contains(t, string(mod), "tool github.com/ptxabi/ptxabi/cmd/ptxparam\n")
	quiet(t, dir, env, "go", "generate", "./...")
	quiet(t, dir, env, "go", "vet", "./...")
	quiet(t, dir, env, "go", "test", "./...")
	quiet(t, dir, env, "go", "tool", "ptxparam", "-check", "-type=Params", "-test", "x.go")

	// A module for an older Go stays one: the tool is in a file of its own.
	const plain = "module example.org/user\n\ngo 1.22\n"
	user := dir
	dir = t.TempDir()
	write("go.mod", plain)
	write("x.go", "package user\n\n//go:generate go tool -modfile=tools.mod ptxparam -type=Params -test\n\ntype Params struct {\n\tA int8\n\tB int64\n}\n")
	write("tools.mod", plain+"\nrequire github.com/ptxabi/ptxabi v0.0.0\n\nreplace github.com/ptxabi/ptxabi => "+filepath.ToSlash(repository(t))+"\n")
	write("tools.sum", string(sum))
	quiet(t, dir, env, "go", "get", "-tool", "-modfile=tools.mod", "github.com/ptxabi/ptxabi/cmd/ptxparam")
	quiet(t, dir, append(env, "GOFLAGS="), "go", "generate", "./...")
	quiet(t, dir, append(env, "GOFLAGS="), "go", "test", "./...")
	is := must.Read(t, filepath.Join(dir, "go.mod"))
	assert.Equal(t, plain, string(is))
	quiet(t, dir, append(env, "GOFLAGS="), "go", "tool", "-modfile=tools.mod", "ptxparam", "-check", "./...")

	// Vendored, and in a workspace, which have no -modfile, a module of tools installs it.
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "tools"), 0o777))
	for from, to := range map[string]string{"tools.mod": "tools/go.mod", "tools.sum": "tools/go.sum"} {
		text := must.Read(t, filepath.Join(dir, from))
		write(to, string(text))
	}
	bin := filepath.Join(dir, "bin")
	quiet(t, dir, append(env, "GOFLAGS=", "GOWORK=off", "GOBIN="+bin), "go", "-C", "tools", "install", "tool")
	found := append(env, "GOFLAGS=", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	write("go.mod", plain+"\nrequire example.org/lib v1.0.0\n")
	write("x.go", "package user\n\nimport \"example.org/lib\"\n\n//go:generate ptxparam -type=Params -test\n\ntype Params struct {\n\tA int8\n\tB lib.Dims\n}\n")
	for _, sub := range []string{"vendor/example.org/lib", "lib"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o777))
		write(sub+"/lib.go", "package lib\n\ntype Dims struct{ N [3]int32 }\n")
	}
	write("lib/go.mod", "module example.org/lib\n\ngo 1.22\n")
	write("vendor/modules.txt", "# example.org/lib v1.0.0\n## explicit; go 1.22\nexample.org/lib\n")
	quiet(t, dir, found, "go", "generate", "./...")
	quiet(t, dir, found, "go", "test", ".")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "vendor")))
	write("go.work", "go 1.22\n\nuse (\n\t.\n\t./lib\n)\n")
	work := append(found, "GOWORK="+filepath.Join(dir, "go.work"))
	quiet(t, dir, work, "ptxparam", "-check", "./...")
	quiet(t, dir, work, "go", "test", ".")
	dir = user

	// Vendored, and in a workspace, it is the same.
	quiet(t, dir, env, "go", "mod", "vendor")
	quiet(t, dir, append(env, "GOFLAGS=-mod=vendor"), "go", "tool", "ptxparam", "-check", "-type=Params", "-test", "x.go")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "vendor")))
	write("go.work", "go 1.26.0\n\nuse .\n")
	quiet(t, dir, append(env, "GOFLAGS=", "GOWORK="+filepath.Join(dir, "go.work")), "go", "tool", "ptxparam", "-check", "-type=Params", "-test", "x.go")
}
