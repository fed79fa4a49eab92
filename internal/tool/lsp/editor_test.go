//go:build unix

package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
)

// TestVSCodeEditor is Visual Studio Code itself, as code-server has it for browsers: PTXABI_CODE_SERVER names the command
// of one. The extension of editor/vscode is installed in it, with the library that it needs from npm, and another one,
// of testdata/codeserver, that opens a file and uses what there is.
func TestVSCodeEditor(t *testing.T) {
	command := os.Getenv("PTXABI_CODE_SERVER")
	if command == "" {
		t.Skip("PTXABI_CODE_SERVER names no code-server")
	}
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && browser == "" {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("there is no Chromium here")
	}
	dir, server, file := built(t)
	require.NoError(t, os.WriteFile(file, []byte(`.version 7.8
.target sm_80
.address_size 64
.extern .func (.param .b32 r) callee (.param .b32 a, .param .align 8 .b8 s[12]);
// ä: callee in a comment
.visible .func caller (.param .b64 p)
{
.reg   .b32 %r<3>;
	.param .b32 x; .param .b8 .align 8 y[12]; .param .b32 z;
	st.param.b32 [x], %r1;
	st.param.b32 [y], %r1;
	call (z), callee, (x, y);
	ld.param.b32 %r2, [z];
	bra done;
done:
	ret;
}
.entry k (.param .u32 n) { ret; }
`), 0o600))

	extensions, data, result := filepath.Join(dir, "extensions"), filepath.Join(dir, "data"), filepath.Join(dir, "result.json")
	own, user := filepath.Join(extensions, "ptxabi.ptxabi-0.1.0"), filepath.Join(extensions, "ptxabi.user-0.0.1")
	require.NoError(t, os.CopyFS(own, os.DirFS("../../../editor/vscode")))
	require.NoError(t, os.CopyFS(user, os.DirFS("testdata/codeserver")))
	where := "--offline"
	if effort.Long() {
		where = "--prefer-offline"
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "install", where, "--no-audit", "--no-fund")
	npm.Dir = own
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("what the extension needs cannot be had: %v: %.300s", err, out)
	}
	writeJSON(t, filepath.Join(user, "config.json"), object{"file": file, "out": result, "command": server})
	writeJSON(t, filepath.Join(data, "Machine", "settings.json"), object{"ptxabi.path": server})
	writeJSON(t, filepath.Join(dir, "folder", ".vscode", "settings.json"), object{})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), nil, 0o600))

	env := append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CACHE_HOME="+dir)
	code := exec.CommandContext(ctx, command, "--config", filepath.Join(dir, "config.yaml"), "--auth", "none", "--bind-addr", "127.0.0.1:0",
		"--user-data-dir", data, "--extensions-dir", extensions, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust")
	code.Env = env
	out, err := code.StdoutPipe()
	require.NoError(t, err)
	startGroup(t, code)
	url := ""
	lines := bufio.NewScanner(out)
	for url == "" && lines.Scan() {
		t.Log(lines.Text())
		if m := regexp.MustCompile(`listening on (http://\S+)`).FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	require.NotEmpty(t, url, "code-server does not start")
	go func() {
		for lines.Scan() { // so that it can go on writing
		}
	}()
	chrome := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--remote-debugging-port=0", "--user-data-dir="+filepath.Join(dir, "chrome"), url+"?folder="+filepath.Join(dir, "folder"))
	chrome.Env = env
	startGroup(t, chrome)

	var text []byte
	for text == nil && ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
		text, _ = os.ReadFile(result)
	}
	require.NotEmpty(t, text, "the editor has not opened the file")
	type found struct {
		Code, Source string
		Line         int
	}
	var got struct {
		Version, Language, Fix, Text, Hover, Formatted, Error string
		Diagnostics, SM50                                     []found
		Fixed, SM90, Own, Stopped, Restarted                  bool
		Definition, References                                []int
		Symbols, Hints, Colours, Completion, Nothing          []string
	}
	require.NoError(t, json.Unmarshal(text, &got), "%s", text)
	require.Empty(t, got.Error)
	t.Log("Visual Studio Code ", got.Version)
	assert.Equal(t, "ptx", got.Language)
	assert.Equal(t, []found{{"LateAlignment", "ptxabi", 8}}, got.Diagnostics)
	assert.Equal(t, "write .align 8 .b8", got.Fix)
	assert.True(t, got.Fixed)
	assert.Contains(t, got.Text, ".param .align 8 .b8 y[12];")
	assert.Contains(t, got.Hover, "**func callee** on sm_80")
	assert.Equal(t, []int{3}, got.Definition)
	assert.Equal(t, []int{3, 11}, got.References)
	assert.Equal(t, []string{"callee", "caller", "k"}, got.Symbols)
	assert.Equal(t, []string{"R4", "R4", "R6:R8", "R4:R5", "R4", "R4", "R6:R8", "c[0x0][0x160]"}, got.Hints)
	for _, want := range []string{".version:macro", "callee:function", "// ä: callee in a comment:comment", "%r1:variable", "call:keyword", ".param:modifier", "done:label"} {
		assert.Contains(t, got.Colours, want)
	}
	assert.Contains(t, got.Completion, "callee")
	assert.NotContains(t, got.Nothing, ".align", "in a comment are no directives")
	assert.Contains(t, got.Formatted, "\n  .reg .b32 %r<3>;\n")
	assert.True(t, got.SM90)
	assert.Equal(t, []found{{"BadTarget", "ptxabi", 1}}, got.SM50)
	assert.True(t, got.Own, "without a setting")
	assert.True(t, got.Stopped)
	assert.True(t, got.Restarted)
}

// startGroup starts a command, and ends it with all that it has started when the test does.
func startGroup(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
		_ = cmd.Wait() // it was killed
	})
}

func writeJSON(t *testing.T, name string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, data, 0o600))
}
