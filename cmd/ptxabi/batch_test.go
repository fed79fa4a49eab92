package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const oneFunc = ".version 7.0\n.target sm_80\n.func f (.param .b32 a);\n"

// ask runs a batch and returns its answers.
func ask(t testing.TB, input string, flags ...string) []answer {
	t.Helper()
	r := ptxabi([]byte(input), append([]string{"batch"}, flags...)...)
	require.Equal(t, 0, r.status, r.stderr)
	require.Empty(t, r.stderr)
	var all []answer
	for line := range strings.Lines(r.stdout) {
		var a answer
		require.NoError(t, json.Unmarshal([]byte(line), &a), line)
		all = append(all, a)
	}
	return all
}

func requestLine(t testing.TB, r request) string {
	t.Helper()
	if r.ID == nil {
		r.ID = json.RawMessage("0")
	}
	text, err := json.Marshal(map[string]any{"id": r.ID, "args": r.Args, "stdin": r.Stdin, "json": r.JSON})
	require.NoError(t, err)
	return string(text) + "\n"
}

// TestBatchAnswers has 10,000 requests, whose answers are what the command line answers.
func TestBatchAnswers(t *testing.T) {
	calls := []request{
		{Args: []string{"assign", "-target", "sm_90", "-sig", "func(4@4, 12@8) -> 4@4"}},
		{Args: []string{"assign", "-"}, Stdin: oneFunc},
		{Args: []string{"lower", "-"}, Stdin: ".version 7.0\n.target sm_80\n.func f (.param .b32 a) { ret; }\n"},
		{Args: []string{"check", "-"}, Stdin: ".version 7.0\n.target sm_80\n.func f () { call g; }\n"},
		{Args: []string{"layout", "-"}, Stdin: "struct S { double d; char c[4]; };\n"},
		{Args: []string{"explain", "StaleArgument"}},
		{Args: []string{"lower", "nothing.ptx"}},
		{Args: []string{"nothing"}},
		{Args: []string{"version"}},
		{Args: []string{"help"}},
	}
	want := make([]result, len(calls))
	for i, c := range calls {
		want[i] = ptxabi([]byte(c.Stdin), c.Args...)
	}
	var in strings.Builder
	const n = 10000
	for i := range n {
		c := calls[i%len(calls)]
		c.ID = json.RawMessage(fmt.Sprint(i))
		in.WriteString(requestLine(t, c))
	}
	all := ask(t, in.String())
	require.Len(t, all, n)
	for i, a := range all {
		w := want[i%len(calls)]
		if string(a.ID) != fmt.Sprint(i) || a.Status != w.status || *a.Stdout != w.stdout || *a.Stderr != w.stderr || a.Results != nil {
			t.Fatalf("request %d: %+v, expected %+v", i, a, w)
		}
	}
}

// TestBatchJSON has values in place of texts.
func TestBatchJSON(t *testing.T) {
	s := readSchema(t, "batch")
	input := requestLine(t, request{Args: []string{"assign", "-format", "json", "-"}, Stdin: oneFunc, JSON: true, ID: json.RawMessage(`{"a": [1]}`)}) +
		requestLine(t, request{Args: []string{"check", "-format", "json", "-"}, Stdin: ".version 7.0\n.target sm_80\n.func f () { call g; call h; }\n", JSON: true}) +
		requestLine(t, request{Args: []string{"lower", "-"}, Stdin: ".version 7.0\n.target sm_80\n.func f () { call g; }\n", JSON: true}) +
		requestLine(t, request{Args: []string{"assign", "nothing.ptx"}, JSON: true}) +
		requestLine(t, request{Args: []string{"assign", "-"}, Stdin: oneFunc, JSON: true})
	for line := range strings.Lines(input) {
		s.check(t, line)
	}
	all := ask(t, input)
	require.Len(t, all, 5)
	assert.JSONEq(t, `{"a": [1]}`, string(all[0].ID))
	require.Len(t, *all[0].Results, 1)
	readSchema(t, "assign").check(t, string((*all[0].Results)[0]))
	assert.Empty(t, *all[0].Diagnostics)
	assert.Len(t, *all[1].Results, 2)
	assert.Equal(t, 1, all[2].Status)
	require.Len(t, *all[2].Diagnostics, 1)
	readSchema(t, "check").check(t, string((*all[2].Diagnostics)[0]))
	assert.Contains(t, string((*all[2].Diagnostics)[0]), "UndeclaredCallee")
	assert.Contains(t, string((*all[3].Diagnostics)[0]), `"Failure"`)
	assert.Equal(t, 2, all[4].Status)
	assert.Contains(t, *all[4].Stderr, "what it prints is no JSON")
	for _, a := range all {
		text, err := json.Marshal(a)
		require.NoError(t, err)
		s.check(t, string(text))
	}
}

// TestBatchRefuses has lines that are no requests. Each is answered, and what follows too.
func TestBatchRefuses(t *testing.T) {
	good := `{"id": "good", "args": ["version"]}`
	for line, want := range map[string]string{
		"garbage":                             "no request: invalid character",
		`{"args": ["version"]`:                "no request: unexpected EOF",
		`[1]`:                                 "no request: cannot unmarshal array",
		`{"args": "version"}`:                 "no request: cannot unmarshal string",
		`{"arg": ["version"]}`:                `no request: unknown field "arg"`,
		`{"args": ["version"]} {}`:            "more than one value on a line",
		`{"args": []}`:                        `a request without "args"`,
		`null`:                                `a request without "args"`,
		`{"args": ["serve"]}`:                 "serve: no request of a batch",
		`{"args": ["batch"]}`:                 "batch: no request of a batch",
		`{"args": ["` + long + `"]}`:          "a request of more than 100 bytes",
		`{"args": ["-errors", "no", "help"]}`: `-errors "no" is none of text, json`,
		"\x00\xff":                            "no request: invalid character",
	} {
		all := ask(t, line+"\n\n  \n"+good+"\r\n"+good, "-max-request", "100")
		require.Len(t, all, 3, line)
		assert.Equal(t, 2, all[0].Status, line)
		assert.Contains(t, *all[0].Stderr, want, line)
		for _, a := range all[1:] {
			assert.Equal(t, 0, a.Status)
			assert.Equal(t, `"good"`, string(a.ID))
		}
	}
	assert.Empty(t, ask(t, ""))
	assert.Equal(t, 2, ptxabi(nil, "batch", "-max-request", "0").status)
	assert.Equal(t, 2, ptxabi(nil, "batch", "x.jsonl").status)
}

var long = strings.Repeat("x", 100)

// TestBatchGoesOn has a command that panics.
func TestBatchGoesOn(t *testing.T) {
	var out strings.Builder
	e := env{stdin: strings.NewReader(strings.Repeat(`{"args": ["version"]}`+"\n", 2)), stdout: &out, stderr: &out, getenv: os.Getenv}
	first := true
	e.run = func(args []string, e env) int {
		if first {
			first = false
			panic("a mistake")
		}
		return run(args, e)
	}
	require.NoError(t, runBatch(e, nil))
	lines := strings.Split(out.String(), "\n")
	assert.Contains(t, lines[0], "internal error: a mistake")
	assert.Contains(t, lines[1], `"status": 0`)
}

// TestSeveral has a line, or a part of the text, for each of several files.
func TestSeveral(t *testing.T) {
	good := writeSource(t, "x.ptx", strings.ReplaceAll(oneFunc, ";", " { ret; }"))
	bad := writeSource(t, "y.ptx", ".version 7.0\n.target sm_80\n.func f () { call g; }\n")
	s, check := readSchema(t, "jsonl"), readSchema(t, "check")
	for _, command := range []string{"assign", "lower"} {
		r := ptxabi(nil, command, "-format", "jsonl", good, "nothing.ptx", "-func", "f", bad)
		assert.Equal(t, 2, r.status)
		assert.Empty(t, r.stderr)
		lines := strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
		require.Len(t, lines, 3)
		for i, text := range lines {
			var l line
			require.NoError(t, json.Unmarshal([]byte(text), &l))
			s.check(t, text)
			for _, d := range l.Diagnostics {
				check.check(t, string(d))
			}
			switch i {
			case 0:
				assert.Equal(t, 0, l.Status)
				assert.JSONEq(t, ptxabi(nil, command, "-format", "json", good).stdout, string(l.Result))
			case 1:
				assert.Equal(t, "nothing.ptx", l.File)
				assert.Equal(t, 2, l.Status)
			case 2:
				if command == "lower" {
					assert.Equal(t, 1, l.Status)
					assert.Nil(t, l.Result)
				}
			}
		}
		r = ptxabi(nil, command, good, good+"2")
		assert.Equal(t, 2, r.status)
		assert.Equal(t, "==> "+good+" <==\n"+ptxabi(nil, command, good).stdout+"==> "+good+"2 <==\n", r.stdout)
		assert.Contains(t, r.stderr, good+"2: ")
	}
	header := writeSource(t, "x.h", "struct S { int x; };\n")
	r := ptxabi(nil, "layout", "-format=jsonl", "--", header)
	assert.Equal(t, 0, r.status)
	s.check(t, r.stdout)
	for _, args := range [][]string{
		{"assign", "-format", "svg", good, bad},
		{"lower", "-o", "z", good, bad},
		{"lower", "-o", "z", "-format", "jsonl", good},
		{"lower", good, good},
		{"lower", "-format", "jsonl"},
		{"assign", "-format", "jsonl", ""},
		{"assign", "-format", "jsonl", "-target", "sm_80", "-sig", "func()"},
	} {
		r := ptxabi(nil, args...)
		assert.Equal(t, 2, r.status, args)
		assert.Empty(t, r.stdout, args)
	}
}

// TestErrorsAsJSON has every message of every command in the form of check's.
func TestErrorsAsJSON(t *testing.T) {
	s := readSchema(t, "check")
	bad := writeSource(t, "y.ptx", ".version 7.0\n.target sm_80\n.func f () { call g; }\n")
	header := writeSource(t, "x.h", "struct S { unknown x; };\n")
	cubin := filepath.Join("..", "..", "examples", "drift", "step.cubin")
	for _, args := range [][]string{
		{"lower", bad},
		{"check", bad},
		{"assign", "nothing.ptx"},
		{"assign", "-nothing"},
		{"layout", header},
		{"verify", cubin, bad},
		{"verify", "-type", "Params", cubin, header},
		{"diff", bad, "nothing.ptx"},
		{"link", bad, cubin},
		{"stack", "nothing"},
		{"nothing"},
		{},
		{"annotate", "-ptx", bad, filepath.Join("..", "..", "examples", "drift", "step.sass")},
	} {
		text := ptxabi(nil, args...)
		r := ptxabi(nil, append([]string{"-errors", "json"}, args...)...)
		assert.Equal(t, text.status, r.status, args)
		assert.Equal(t, text.stdout, r.stdout, args)
		assert.Equal(t, text.stderr == "", r.stderr == "", args)
		for one := range strings.Lines(r.stderr) {
			s.check(t, one)
		}
		assert.Equal(t, r, ptxabi(nil, append([]string{"--errors=json"}, args...)...))
		assert.Equal(t, text, ptxabi(nil, append([]string{"-errors=text"}, args...)...))
	}
	assert.Equal(t, 2, ptxabi(nil, "-errors").status)
}

// TestBatchFromPython runs the script of docs/batch.md.
func TestBatchFromPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	if testing.Short() {
		t.Skip("builds the command")
	}
	data, err := os.ReadFile("../../docs/batch.md")
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```python\n(.*?)```\n\nIt prints\n\n```text\n(.*?)```").FindSubmatch(data)
	require.NotNil(t, m)
	dir := t.TempDir()
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "ptxabi"), ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.Command(python, "-c", string(m[1]))
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err = cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, string(m[2]), string(out))
}

// BenchmarkBatch has the smallest request and one that does something. An operation is one.
func BenchmarkBatch(b *testing.B) {
	for name, r := range map[string]request{
		"version": {Args: []string{"version"}},
		"sig":     {Args: []string{"assign", "-target", "sm_90", "-sig", "func(4@4, 12@8) -> 4@4"}},
		"lower":   {Args: []string{"lower", "-"}, Stdin: ".version 7.0\n.target sm_80\n.func f (.param .b32 a) { ret; }\n"},
	} {
		b.Run(name, func(b *testing.B) {
			in := strings.Repeat(requestLine(b, r), b.N)
			b.ResetTimer()
			require.Len(b, strings.Split(ptxabi([]byte(in), "batch").stdout, "\n"), b.N+1)
		})
	}
}
