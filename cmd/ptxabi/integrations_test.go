package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

func readText(t *testing.T, file string) string {
	t.Helper()
	data := must.Read(t, file)
	return string(data)
}

// TestWorkflowCommands runs what the workflows run of ptxabi, and holds that the
// scripts and files that they name are there.
func TestWorkflowCommands(t *testing.T) {
	t.Chdir("../..")
	text := readText(t, ".github/workflows/sarif.yml")
	calls := regexp.MustCompile(`(?m)^ +- run: go run ./cmd/ptxabi ([^>\n]*)`).FindAllStringSubmatch(text, -1)
	require.Len(t, calls, 2)
	for _, call := range calls {
		r := ptxabi(nil, strings.Fields(call[1])...)
		assert.Zero(t, r.status, "%s: %s", call[0], r.stderr)
		if strings.Contains(call[1], "sarif") {
			var log struct{ Runs []struct{ Results []any } }
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &log))
			assert.NotEmpty(t, log.Runs[0].Results, "there is something to show")
		}
	}
	matcher := regexp.MustCompile(`::add-matcher::(\S+)"`).FindStringSubmatch(text)
	require.NotNil(t, matcher)
	assert.FileExists(t, matcher[1])
	// The workflow of the document has the same in a checkout beside the files.
	docs := readText(t, "docs/integrations.md")
	assert.Contains(t, docs, "::add-matcher::.ptxabi/"+matcher[1])
	assert.Contains(t, docs, "path: .ptxabi\n")
	may := regexp.MustCompile(`(?m)^ +if: always\(\) && .*$`)
	require.NotEmpty(t, may.FindString(text))
	assert.Contains(t, docs, strings.TrimSpace(may.FindString(text)))
	for _, script := range regexp.MustCompile(`(?m)- run: (\.ci/\S+)$`).FindAllStringSubmatch(readText(t, ".github/workflows/ci.yml"), -1) {
		info, err := os.Stat(script[1])
		require.NoError(t, err)
		assert.True(t, info.Mode().IsRegular())
		if bash, err := exec.LookPath("bash"); err == nil {
			out, err := exec.Command(bash, "-n", script[1]).CombinedOutput()
			assert.NoError(t, err, string(out))
		}
	}
}

// matcherOf returns the regular expression of a problem matcher and its groups.
func matcherOf(t *testing.T, text string) (*regexp.Regexp, map[string]int) {
	t.Helper()
	i := strings.Index(text, `"regexp"`)
	require.Positive(t, i)
	begin := strings.LastIndex(text[:i], "{")
	end := strings.Index(text[i:], "\n") + strings.Index(text[i+strings.Index(text[i:], "\n"):], "}")
	var pattern map[string]any
	require.NoError(t, json.Unmarshal([]byte(text[begin:i+end+1]), &pattern))
	groups := make(map[string]int)
	for name, v := range pattern {
		if n, ok := v.(float64); ok {
			groups[name] = int(n)
		}
	}
	return regexp.MustCompile(pattern["regexp"].(string)), groups
}

// TestProblemMatcher reads what check prints with the matcher for GitHub and with
// the one for editors: each diagnostic once, with its parts.
func TestProblemMatcher(t *testing.T) {
	file := readText(t, "../../editor/problem-matcher.json")
	var doc any
	require.NoError(t, json.Unmarshal([]byte(file), &doc))
	_, inDocs, ok := strings.Cut(readText(t, "../../docs/integrations.md"), "```json\n")
	require.True(t, ok)
	inDocs, _, _ = strings.Cut(inDocs, "```")
	require.NoError(t, json.Unmarshal([]byte(inDocs), &doc))

	dir := t.TempDir()
	path := filepath.Join(dir, "bad name.ptx")
	require.NoError(t, os.WriteFile(path, []byte(mismatched+"bad [x]: error: 3\n"), 0o666))
	textual, structured := ptxabi(nil, "check", path), ptxabi(nil, "check", "-format", "json", path)
	require.Equal(t, 1, textual.status)
	for name, text := range map[string]string{"GitHub": file, "editors": inDocs} {
		matcher, groups := matcherOf(t, text)
		var got []string
		for line := range strings.Lines(textual.stderr) {
			if m := matcher.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
				part := func(name string) string { return m[groups[name]] }
				got = append(got, fmt.Sprint(part("file"), part("line"), part("column"), part("severity"), part("code"), part("message")))
			}
		}
		var want []string
		for line := range strings.Lines(structured.stdout) {
			var d struct {
				File, Severity, Code, Message string
				Line, Column                  int
			}
			require.NoError(t, json.Unmarshal([]byte(line), &d))
			want = append(want, fmt.Sprint(d.File, fmt.Sprint(d.Line), fmt.Sprint(d.Column), d.Severity, d.Code, d.Message))
		}
		assert.GreaterOrEqual(t, len(want), 2)
		assert.Equal(t, want, got, name)
	}
}

// TestHooks runs the entries of the hooks as pre-commit does, with files after
// them.
func TestHooks(t *testing.T) {
	text := readText(t, "../../.pre-commit-hooks.yaml")
	entries := regexp.MustCompile(`(?m)^  entry: (\S+) (.*)$`).FindAllStringSubmatch(text, -1)
	require.Len(t, entries, 3)
	assert.Equal(t, entries[0][1:], entries[1][1:])
	good, bad := "../../examples/drift/step.ptx", writeSource(t, "bad.ptx", mismatched)
	assert.Equal(t, "ptxabi", entries[0][1])
	args := strings.Fields(entries[0][2])
	assert.Zero(t, ptxabi(nil, append(slices.Clone(args), good, good)...).status)
	assert.Equal(t, 1, ptxabi(nil, append(slices.Clone(args), good, bad)...).status)
	assert.Equal(t, "ptxparam -check", strings.Join(entries[2][1:], " "))
	for _, m := range regexp.MustCompile(`(?m)^  files: '(.*)'$`).FindAllStringSubmatch(text, -1) {
		assert.NoError(t, regexp.MustCompile(m[1]).UnmarshalText([]byte(m[1])))
	}
}

// properties reads a properties file of Compiler Explorer.
func properties(t *testing.T, file string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for line := range strings.Lines(readText(t, file)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		require.True(t, ok, "%s: %s", file, line)
		require.NotContains(t, all, key, file)
		all[key] = value
	}
	return all
}

// TestCompilerExplorer calls the tools as Compiler Explorer does: options, and the
// source's path after them.
func TestCompilerExplorer(t *testing.T) {
	const dir = "../../editor/compiler-explorer/"
	for _, lang := range []string{"ptx", "cuda"} {
		all := properties(t, dir+lang+".local.properties")
		tools := strings.Split(all["tools"], ":")
		assert.Len(t, all, 1+7*len(tools), "%s: seven properties each", lang)
		for _, tool := range tools {
			of := func(name string) string {
				value, ok := all["tools."+tool+"."+name]
				require.True(t, ok, "%s %s.%s", lang, tool, name)
				return value
			}
			assert.Equal(t, "testing-tool", of("class"))
			assert.Equal(t, "disabled", of("stdinHint"))
			assert.Empty(t, of("exclude"))
			options := strings.Fields(of("options"))
			assert.Equal(t, "ptxabi "+options[0], of("name"))
			want := map[string]string{"ptx": "independent", "cuda": "postcompilation"}[lang]
			assert.Equal(t, want, of("type"))
			r := ptxabi(nil, append(options, "../../examples/drift/step.ptx")...)
			assert.Zero(t, r.status, r.stderr)
		}
	}
}

// TestOutputScript holds that the script for Compiler Explorer hands on the PTX
// beside the source.
func TestOutputScript(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here to run the script")
	}
	script, err := filepath.Abs("../../editor/compiler-explorer/ptxabi-output")
	require.NoError(t, err)
	bin, dir := t.TempDir(), filepath.Join(t.TempDir(), "a folder")
	require.NoError(t, os.Mkdir(dir, 0o777))
	// It stands for ptxabi, and prints what it gets.
	require.NoError(t, os.WriteFile(filepath.Join(bin, "ptxabi"), []byte("#!/bin/sh\nfor a; do echo \"<$a>\"; done\ncat\n"), 0o777))
	run := func() (string, error) {
		cmd := exec.Command(sh, script, "lower", "-target", "sm_90 a", filepath.Join(dir, "example.cu"))
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		return out.String(), err
	}
	out, err := run()
	assert.Error(t, err)
	assert.Contains(t, out, "ptxabi-output: no PTX in ")
	for _, name := range []string{"output.s", "example.ptx"} { // the second goes before the first
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name+"\n"), 0o666))
		out, err = run()
		assert.NoError(t, err)
		assert.Equal(t, "<lower>\n<-target>\n<sm_90 a>\n<->\n"+name+"\n", out)
	}
}
