package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// built is a folder with the command ptxabi and a module x.ptx.
func built(t *testing.T) (dir, server, file string) {
	t.Helper()
	dir = t.TempDir()
	server, file = filepath.Join(dir, "ptxabi"), filepath.Join(dir, "x.ptx")
	out, err := exec.Command("go", "build", "-o", server, "github.com/ptxabi/ptxabi/cmd/ptxabi").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile(file, []byte(module), 0o600))
	return dir, server, file
}

// TestNeovim is a real client, with the settings of editor/neovim where it knows them: it opens a file, and prints what
// the server answers.
func TestNeovim(t *testing.T) {
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("there is no nvim here")
	}
	dir, server, file := built(t)
	script := filepath.Join(dir, "x.lua")
	settings, err := filepath.Abs("../../../editor/neovim/ptxabi.lua")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(script, fmt.Appendf(nil, string(must.Read(t, "testdata/neovim.lua")), settings, file, server, dir), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	version, err := exec.CommandContext(ctx, nvim, "--version").Output()
	require.NoError(t, err)
	t.Logf("%.20s", version)
	cmd := exec.CommandContext(ctx, nvim, "--headless", "--clean", "-c", "luafile "+script)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	data, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", data)
	out := string(data)
	for _, want := range []string{"diagnostics true", "**func callee** on sm_80", "line = 3", `name = "caller"`, `label = "R6:R8"`, "newText = "} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, "error = ")
	assert.NotContains(t, out, "Error ")
	if strings.Contains(out, "settings true") { // 0.8 and later
		assert.Contains(t, out, "formatted [  .reg .b32 %r<3>;]")
		for _, what := range []string{"hints", "colours"} {
			assert.NotContains(t, out, what+" false")
		}
	}
}

// TestHelix holds that Helix reads the settings, and finds the server by them.
func TestHelix(t *testing.T) {
	hx, err := exec.LookPath("hx")
	if err != nil {
		t.Skip("there is no hx here")
	}
	dir, server, _ := built(t)
	settings := must.Read(t, "../../../editor/helix/languages.toml")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "helix"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "helix", "languages.toml"), settings, 0o600))
	cmd := exec.CommandContext(t.Context(), hx, "--health", "ptx")
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir, "NO_COLOR=1", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), server)
}

// TestVSCodeExtension holds that the extension names what is there: its files, and the settings that it reads.
func TestVSCodeExtension(t *testing.T) {
	const dir = "../../../editor/vscode/"
	var p struct {
		Main        string
		Contributes struct {
			Languages     []struct{ ID, Configuration string }
			Configuration struct{ Properties map[string]any }
		}
	}
	data := must.Read(t, dir+"package.json")
	require.NoError(t, json.Unmarshal(data, &p))
	code := must.Read(t, dir+p.Main)
	require.Len(t, p.Contributes.Languages, 1)
	language := p.Contributes.Languages[0]
	assert.Contains(t, string(code), fmt.Sprintf("{ language: %q }", language.ID))
	config := must.Read(t, dir+language.Configuration)
	assert.True(t, json.Valid(config))
	read := regexp.MustCompile(`setting\("(\w+)"\)`).FindAllStringSubmatch(string(code), -1)
	require.Len(t, read, len(p.Contributes.Configuration.Properties))
	for _, m := range read {
		assert.Contains(t, p.Contributes.Configuration.Properties, "ptxabi."+m[1])
	}
	if node, err := exec.LookPath("node"); err == nil {
		out, err := exec.Command(node, "--check", dir+p.Main).CombinedOutput()
		assert.NoError(t, err, "%s", out)
	}
}

// TestVSCodePath holds that the extension starts no command but ptxabi, and says so of what is no command at all.
func TestVSCodePath(t *testing.T) {
	effort.NeedLong(t, "it builds the command")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node here")
	}
	dir, server, _ := built(t)
	other := filepath.Join(dir, "other")                                            // any command that ends without an error
	require.NoError(t, os.WriteFile(other, []byte("#!/bin/sh\necho 1.0\n"), 0o700)) //nolint:gosec // a command
	extension, err := filepath.Abs("../../../editor/vscode/extension.js")
	require.NoError(t, err)
	cases := []struct {
		path any
		want string
	}{
		{server, `^start `},
		{other, `^ptxabi does not start: .*other is another command\. Install it, or set "ptxabi\.path" to its file; it is ".*other" now\.$`},
		{dir + "/missing", `^ptxabi does not start: .*ENOENT`},
		{dir, `^ptxabi does not start: .*EACCES`},
		{"", `^ptxabi does not start: .*; it is "" now.$`},
		{17, `^ptxabi does not start: .*; it is "17" now.$`},
		{nil, `^ptxabi does not start: .*; it is "null" now.$`},
	}
	args := []string{"testdata/extension.js", extension}
	for _, c := range cases {
		text, err := json.Marshal(c.path)
		require.NoError(t, err)
		args = append(args, string(text))
	}
	cmd := exec.CommandContext(t.Context(), node, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	var seen [][]string
	require.NoError(t, json.Unmarshal(out, &seen), "%s", out)
	require.Len(t, seen, len(cases))
	for i, c := range cases {
		require.NotEmpty(t, seen[i], "%v: the user sees nothing", c.path)
		assert.Regexp(t, c.want, seen[i][0])
	}
	assert.Equal(t, []string{"start " + server, "stop"}, seen[0])
}

// TestVSCodeClient is the library of Visual Studio Code for clients, from npm: from its cache where it is there, and, in
// the long run, from the registry.
func TestVSCodeClient(t *testing.T) {
	effort.NeedLong(t, "it builds the command and installs a package")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node here")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm here")
	}
	dir, server, file := built(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--prefer-offline", "--no-audit", "--no-fund", "vscode-languageserver-protocol@3.17.5")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("vscode-languageserver-protocol cannot be had: %v: %.300s", err, out)
	}
	script := must.Read(t, "testdata/client.js")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "client.js"), script, 0o600))
	cmd = exec.CommandContext(ctx, node, "client.js", server, file)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	var out struct {
		Capabilities       map[string]any
		Diagnostics, After []diagnostic
		Hover, SM80        hover
		Definition         location
		References         []location
		Symbols            []symbol
		Hints              []inlayHint
		Tokens, Range      semanticTokens
		Actions            []codeAction
		Formatting         []textEdit
		Completion         completionList
		Status             int
	}
	require.NoError(t, json.Unmarshal(data, &out))
	assert.Equal(t, "utf-16", out.Capabilities["positionEncoding"])
	assert.NotEmpty(t, out.Diagnostics)
	assert.Contains(t, out.Hover.Contents.Value, "**func callee** on sm_90")
	assert.Contains(t, out.SM80.Contents.Value, "**func callee** on sm_80")
	assert.Equal(t, 3, out.Definition.Range.Start.Line)
	assert.Len(t, out.References, 2)
	assert.Len(t, out.Symbols, 3)
	assert.NotEmpty(t, out.Hints)
	assert.NotEmpty(t, out.Tokens.Data)
	assert.Equal(t, out.Tokens, out.Range)
	assert.NotEmpty(t, out.Formatting)
	assert.Contains(t, out.Completion.Items, completion{".lt", completeMember, "setp", textEdit{span{position{11, 5}, position{11, 6}}, ".lt"}})
	assert.Greater(t, len(out.After), len(out.Diagnostics), "setp. is none")
	assert.Zero(t, out.Status)
}
