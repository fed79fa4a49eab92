package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

func TestVersions(t *testing.T) {
	for text, want := range map[string][2]string{
		"1.2.3":         {"1.2.3", "1.2.3"},
		"0.0.0-dev":     {"0.0.0.dev0", "0.0.0~~dev"},
		"1.2.3-alpha.4": {"1.2.3a4", "1.2.3~alpha4"},
		"1.2.3-beta.0":  {"1.2.3b0", "1.2.3~beta0"},
		"10.0.3-rc.12":  {"10.0.3rc12", "10.0.3~rc12"},
	} {
		v, err := parseVersion(text)
		require.NoError(t, err, text)
		assert.Equal(t, text, v.String())
		assert.Equal(t, want, [2]string{v.python(), v.debian()}, text)
	}
	for _, text := range []string{"", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-rc", "1.2.3-rc.01", "1.2.3-dev.1", "1.2.3+x", "1.2.3\n"} {
		_, err := parseVersion(text)
		assert.Error(t, err, "%q", text)
	}
}

func TestArguments(t *testing.T) {
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "x"), nil, 0o666))
	for _, tt := range []struct {
		args  []string
		epoch string
		want  string
	}{
		{[]string{}, "", "no -o: the folder to make is not named"},
		{[]string{"-o", "x", "y"}, "", `"y" is not a flag; -h lists them`},
		{[]string{"-o", "x", "-version", "1"}, "", `-version "1" is neither 1.2.3 nor that followed by -dev, -alpha.1, -beta.1 or -rc.1`},
		{[]string{"-o", "x", "-platforms", "linux/mips"}, "", `"linux/mips" is none of the platforms: [darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64 windows/arm64]`},
		{[]string{"-o", "x"}, "now", "SOURCE_DATE_EPOCH=now is not a number of seconds"},
		{[]string{"-o", "x"}, "1", "SOURCE_DATE_EPOCH=1 is in 1970; zip archives hold 1980 to 2107"},
		{[]string{"-o", full}, "", full + " is not empty: the files of another build would look like ones of this"},
	} {
		err := run(tt.args, io.Discard, func(string) string { return tt.epoch })
		assert.EqualError(t, err, tt.want)
	}
	assert.NoFileExists(t, "x")
}

var testFiles = []file{{"a/", nil, false}, {"a/run", []byte("#!/bin/sh\n"), true}, {"a/text", bytes.Repeat([]byte("text\n"), 100), false}}

func TestTarball(t *testing.T) {
	when := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	data, err := tarball(testFiles, when)
	require.NoError(t, err)
	again, err := tarball(testFiles, when)
	require.NoError(t, err)
	assert.Equal(t, data, again)
	in, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	assert.True(t, in.ModTime.IsZero())
	r := tar.NewReader(in)
	for _, f := range testFiles {
		h, err := r.Next()
		require.NoError(t, err)
		assert.Equal(t, f.name, h.Name)
		assert.Equal(t, f.mode(), h.Mode)
		assert.True(t, when.Equal(h.ModTime))
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, string(f.data), string(text))
	}
	_, err = r.Next()
	assert.Equal(t, io.EOF, err)
}

func TestZipped(t *testing.T) {
	when := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	data, err := zipped(testFiles[1:], when)
	require.NoError(t, err)
	again, err := zipped(testFiles[1:], when)
	require.NoError(t, err)
	assert.Equal(t, data, again)
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.Len(t, r.File, 2)
	for i, f := range r.File {
		assert.Equal(t, testFiles[i+1].name, f.Name)
		assert.Equal(t, testFiles[i+1].mode(), int64(f.Mode().Perm()))
		assert.True(t, when.Equal(f.Modified))
	}
}

type dependency struct {
	Ref       string
	DependsOn []string
}

func TestMaterials(t *testing.T) {
	v, err := parseVersion("1.2.3")
	require.NoError(t, err)
	b := &build{version: v, time: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)}
	x, y := &debug.Module{Path: "example.org/x", Version: "v1.0.0", Sum: "h1:x"}, &debug.Module{Path: "example.org/y", Version: "v2.0.0", Sum: "h1:y"}
	data, err := json.Marshal(b.bill("", []*debug.BuildInfo{
		{GoVersion: "go1.26.8", Path: module + "/cmd/ptxabi", Deps: []*debug.Module{x, y}},
		{GoVersion: "go1.26.8", Path: module + "/cmd/ptxabi", Deps: []*debug.Module{x}}, // of another platform
		{GoVersion: "go1.26.8", Path: module + "/cmd/ptxparam", Deps: []*debug.Module{{Path: "example.org/z", Version: "v3.0.0", Replace: x}}},
	}))
	require.NoError(t, err)
	var doc struct {
		Metadata struct {
			Time string `json:"timestamp"`
		}
		Components []struct {
			Ref        string `json:"bom-ref"`
			Properties []map[string]string
		}
		Dependencies []dependency
	}
	require.NoError(t, json.Unmarshal(data, &doc))
	assert.Equal(t, "2026-01-02T03:04:06Z", doc.Metadata.Time)
	var refs []string
	for _, c := range doc.Components {
		refs = append(refs, c.Ref)
	}
	self, std := "pkg:golang/github.com/ptxabi/ptxabi@v1.2.3", "pkg:golang/stdlib@1.26.8"
	assert.Equal(t, []string{"pkg:golang/example.org/x@v1.0.0", "pkg:golang/example.org/y@v2.0.0", self + "#cmd/ptxabi", self + "#cmd/ptxparam", std}, refs)
	assert.Equal(t, []dependency{
		{self, []string{self + "#cmd/ptxabi", self + "#cmd/ptxparam"}},
		{refs[0], []string{}},
		{refs[1], []string{}},
		{refs[2], []string{refs[0], refs[1], std}},
		{refs[3], []string{refs[0], std}},
		{std, []string{}},
	}, doc.Dependencies)
	assert.Equal(t, []map[string]string{{"name": "ptxabi:go.sum", "value": "h1:x"}}, doc.Components[0].Properties)

	exe, err := os.Executable() // a binary by Go
	require.NoError(t, err)
	data = must.Read(t, exe)
	text, err := b.materials([]binary{{"ptxabi", data}})
	require.NoError(t, err)
	assert.Regexp(t, `"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"`, string(text))
	_, err = b.materials([]binary{{"ptxabi", []byte("no binary")}})
	assert.ErrorContains(t, err, "ptxabi: ")
}

// TestBundled takes the licences of a script's packages from its beginning.
func TestBundled(t *testing.T) {
	script := must.Read(t, "../tool/web/page/codemirror.js")
	terms, err := bundled(script)
	require.NoError(t, err)
	assert.Regexp(t, `(?s)^\n=+\nThe explorer's editor\n\n@codemirror/commands \S+: Copyright .*\nMIT License\n\nPermission is hereby granted.*SOFTWARE\.\n$`, string(terms))
	for _, s := range []string{"", "var a = 1;\n", "/* made by hand */ var a;", "/* made\n\nby hand */"} {
		_, err := bundled([]byte(s))
		assert.ErrorContains(t, err, "no licence", s)
	}
}

func TestLicenses(t *testing.T) {
	one, none := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(one, "LICENSE"), []byte("Do as you like.\r\n"), 0o666))
	text, err := licenses(map[string]string{"one v1": one, "another v2": one})
	require.NoError(t, err)
	assert.Less(t, strings.Index(string(text), "another v2\n\nDo as you like.\n"), strings.Index(string(text), "one v1\n\nDo as you like.\n"))
	_, err = licenses(map[string]string{"none v1": none})
	assert.EqualError(t, err, "none v1: no licence in "+none+": it cannot be handed out")
}

// TestWebAssembly has a program for WebAssembly make a file as -o does, and panic, with Go's script as the package
// for npm has it. The text of the panic is printed.
func TestWebAssembly(t *testing.T) {
	effort.NeedLong(t, "it builds a program for WebAssembly")
	node := tool(t, "node")
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	script := must.Read(t, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "ptxabi.wasm"), "./testdata/beside")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	bin, err := npmFiles.ReadFile("npm/bin.js")
	require.NoError(t, err)
	for name, data := range map[string][]byte{"go.js": goModule(script), "bin.js": bin, "package.json": []byte(`{"type": "module"}`)} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	cmd := exec.Command(node, filepath.Join(dir, "bin.js"), "made")
	cmd.Dir = dir
	text, err = cmd.CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(text), "made <nil>\n")
	assert.Contains(t, string(text), "panic: the text of a panic\n")
	assert.FileExists(t, filepath.Join(dir, "made"))
}
