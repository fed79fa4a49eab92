package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

const oneFunc = ".version 7.0\n.target sm_80\n.func f (.param .b32 a);\n"

// ask runs a batch of requests and returns the answers.
func ask(t testing.TB, input string, flags ...string) []jsonline.Answer {
	t.Helper()
	r := ptxabi([]byte(input), append([]string{"batch"}, flags...)...)
	require.Equal(t, 0, r.status, r.stderr)
	require.Empty(t, r.stderr)
	var all []jsonline.Answer
	for line := range strings.Lines(r.stdout) {
		var a jsonline.Answer
		require.NoError(t, json.Unmarshal([]byte(line), &a), line)
		all = append(all, a)
	}
	return all
}

func requestLine(t testing.TB, r jsonline.Request) string {
	t.Helper()
	if r.ID == nil {
		r.ID = json.RawMessage("0")
	}
	text, err := json.Marshal(map[string]any{"id": r.ID, "args": r.Args, "stdin": r.Stdin, "json": r.JSON})
	require.NoError(t, err)
	return string(text) + "\n"
}

// TestBatchAnswers has many requests, whose answers are what the command line answers.
func TestBatchAnswers(t *testing.T) {
	t.Parallel()
	calls := []jsonline.Request{
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
	n := effort.Of(500, 10_000)
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

// TestBatchOwnInput has a request that names what batch reads, and would be answered with the requests that follow.
func TestBatchOwnInput(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	name := fmt.Sprint("/dev/fd/", r.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	for _, args := range []string{`"check", "` + name + `"`, `"-errors", "text", "check", "-", "` + name + `"`, `"assign", "-o", "` + name + `", "-"`, `"annotate", "-ptx=` + name + `", "-"`} {
		_, err = fmt.Fprintf(w, `{"args": [%s], "stdin": "// PTX"}`+"\n", args)
		require.NoError(t, err)
	}
	_, err = io.WriteString(w, `{"args": ["version"]}`+"\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	var out strings.Builder
	require.NoError(t, command{"batch", bindBatch}.run(env{stdin: r, stdout: &out, stderr: &out, getenv: os.Getenv, run: run}, nil))
	lines := strings.Split(out.String(), "\n")
	require.Len(t, lines, 6)
	for _, line := range lines[:4] {
		assert.Contains(t, line, `"status": 2`)
		assert.Contains(t, line, name+`: batch reads its requests from there; the file - is what \"stdin\" has`)
	}
	assert.Contains(t, lines[4], `"status": 0`)
}

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
	require.NoError(t, command{"batch", bindBatch}.run(e, nil))
	lines := strings.Split(out.String(), "\n")
	assert.Contains(t, lines[0], "internal error: a mistake")
	assert.Contains(t, lines[1], `"status": 0`)
}

// TestBatchWaits holds that no request is read before the answer to the one before has been taken: a client that sends more
// requests than it reads answers waits, and nothing piles up.
func TestBatchWaits(t *testing.T) {
	t.Parallel()
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	started := make(chan string, 10)
	e := env{stdin: in, stdout: out, stderr: out, getenv: os.Getenv}
	e.run = func(args []string, e env) int {
		started <- args[0]
		return run([]string{"version"}, e)
	}
	go func() { ended <- command{"batch", bindBatch}.run(e, nil) }()
	line := func(n int) string {
		return fmt.Sprintf(`{"args": ["%d"], "stdin": %q}`+"\n", n, strings.Repeat("x", 100_000))
	}
	asked := make(chan int)
	go func() {
		for n := range 3 {
			_, err := io.WriteString(ask, line(n))
			assert.NoError(t, err)
			asked <- n
		}
		ask.Close()
	}()
	r := bufio.NewReader(answers)
	require.Equal(t, 0, <-asked)
	require.Equal(t, "0", <-started)
	for n := range 3 {
		select {
		case other := <-asked:
			t.Fatalf("request %d was read before the answer to %d", other, n)
		case other := <-started:
			t.Fatalf("request %s was begun before the answer to %d was read", other, n)
		case <-time.After(50 * time.Millisecond):
		}
		text, err := r.ReadString('\n')
		require.NoError(t, err)
		assert.Contains(t, text, `"status": 0`)
		if n < 2 {
			require.Equal(t, n+1, <-asked)
			require.Equal(t, fmt.Sprint(n+1), <-started)
		}
	}
	require.NoError(t, <-ended)
}

// TestBatchLimit has a request that is longer than it may be, of which nothing is kept, in no more memory than the limit.
func TestBatchLimit(t *testing.T) {
	const limit, size = 1 << 16, 64 << 20
	long := io.MultiReader(strings.NewReader(`{"args": ["`), io.LimitReader(&zeros{}, size), strings.NewReader("\n"+`{"args": ["version"]}`))
	var out strings.Builder
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := env{stdin: long, stdout: &out, stderr: &out, getenv: os.Getenv, run: run}
	require.NoError(t, command{"batch", bindBatch}.run(e, []string{"-max-request", fmt.Sprint(limit)}))
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size/4))
	lines := strings.Split(out.String(), "\n")
	require.Len(t, lines, 3)
	assert.Contains(t, lines[0], "a request of more than 65536 bytes")
	assert.Contains(t, lines[1], `"status": 0`)
}

// jsonCommands are command lines of every command that prints JSON: with a result, with a finding or without one, and with a
// mistake.
func jsonCommands(t *testing.T) map[string][3][]string {
	const drift, link, adapt = "../../examples/drift/", "../../examples/link/", "../../examples/adapt/"
	bad := writeSource(t, "y.ptx", ".version 7.0\n.target sm_80\n.func f () { call g; }\n")
	header := writeSource(t, "y.h", "struct S { unknown x; };\nvoid f(int, ...);\n")
	return map[string][3][]string{
		"lower":    {{drift + "step.ptx"}, {bad}, {"nothing.ptx"}},
		"assign":   {{drift + "step.ptx"}, {writeSource(t, "z.ptx", ".version 7.0\n.target sm_80\n.func f (.param .align 3 .b8 a[3]);\n")}, {"-target", "sm_1", drift + "step.ptx"}},
		"check":    {{drift + "step.ptx"}, {bad}, {"nothing.ptx"}},
		"layout":   {{"../../examples/header/sim.h"}, {header}, {"nothing.h"}},
		"verify":   {{drift + "step.cubin", drift + "step.ptx"}, {drift + "step.cubin", bad}, {drift + "step.cubin", "nothing.ptx"}},
		"annotate": {{"-ptx", drift + "step.ptx", drift + "step.sass"}, {writeSource(t, "y.sass", "\t.section .text.f\n.text.f:\n  /*0000*/ $$ ;\n")}, {"nothing.sass"}},
		"diff":     {{"-target", "sm_80,sm_86", drift + "step.ptx"}, {drift + "step.ptx", bad}, {"nothing.ptx", "nothing2.ptx"}},
		"link":     {{drift + "step.ptx"}, {link + "main.ptx", link + "first.ptx"}, {"nothing.ptx"}},
		"adapt":    {{"-from", "numba", "-to", "clang", adapt + "norm.h"}, {"-from", "numba", "-to", "clang", "-func", "f", header}, {"-from", "nobody", adapt + "norm.h"}},
		"stack":    {{"../../examples/recursion/tree.cubin"}, {"-block", "1024", "../../examples/recursion/tree.cubin"}, {"nothing"}},
		"compare":  {{"../../examples/compare/add.ptx", "../../examples/compare/add.sass"}, {"../../examples/compare/add.ptx", "../../examples/compare/wrong.sass"}, {"nothing.ptx", "nothing.sass"}},
		"images":   {{drift + "step.cubin"}, {drift + "step.cubin"}, {"nothing"}},
		"targets":  {{"sm_80"}, {"sm_80"}, {"sm_1"}},
	}
}

// TestJSONFailures holds that with -format json and jsonl all that standard output has is JSON of a form that a schema
// describes, whatever is wrong: the result, or what there is instead. Each command has a schema that its help names, and each
// schema is of a command.
func TestJSONFailures(t *testing.T) {
	schemas := []string{"batch.schema.json", "jsonl.schema.json", "failure.schema.json"}
	failed, lines, checked := readSchema(t, "failure"), readSchema(t, "jsonl"), readSchema(t, "check")
	all := jsonCommands(t)
	for _, c := range commands() {
		format := flagsOf(t, c.name)["format"]
		if format == nil || !slices.Contains(format.Values, "json") {
			continue
		}
		require.Contains(t, all, c.name, "give %s -format json command lines to try", c.name)
		own := readSchema(t, c.name)
		assert.NotEmpty(t, own.root["title"], c.name)
		schemas = append(schemas, c.name+".schema.json")
		assert.Contains(t, format.Text, "docs/schemas/"+c.name+".schema.json", "its help names it")
		for i, args := range all[c.name] {
			text := ptxabi(nil, append([]string{c.name}, args...)...)
			r := ptxabi(nil, append([]string{c.name, "-format", "json"}, args...)...)
			assert.Equal(t, text.status, r.status, "%s %q", c.name, args)
			if i == 2 {
				assert.Equal(t, 2, r.status, "%s %q", c.name, args)
			}
			values, err := jsonline.Values([]byte(r.stdout))
			require.NoError(t, err, "%s %q", c.name, args)
			switch {
			case c.name == "check":
				require.Equal(t, r.status == 0, len(values) == 0)
				for _, v := range values {
					own.check(t, string(v))
				}
				assert.Empty(t, r.stderr)
			default:
				require.Len(t, values, 1, "%s %q", c.name, args)
				var wrong struct{ Diagnostics []json.RawMessage }
				if i == 2 || len(own.violations(t, string(values[0]))) > 0 {
					failed.check(t, string(values[0]))
					require.NoError(t, json.Unmarshal(values[0], &wrong))
					assert.NotEmpty(t, wrong.Diagnostics)
					assert.Empty(t, r.stderr, "%s %q", c.name, args)
				}
				for _, d := range wrong.Diagnostics {
					checked.check(t, string(d))
				}
			}
			if !slices.Contains(format.Values, "jsonl") {
				continue
			}
			r = ptxabi(nil, append([]string{c.name, "-format", "jsonl"}, args...)...)
			assert.Equal(t, text.status, r.status, "%s %q", c.name, args)
			assert.Empty(t, r.stderr, "%s %q", c.name, args)
			values, err = jsonline.Values([]byte(r.stdout))
			require.NoError(t, err)
			require.Len(t, values, 1, "%s %q", c.name, args)
			assert.Equal(t, 1, strings.Count(r.stdout, "\n"))
			if len(failed.violations(t, string(values[0]))) == 0 {
				assert.Equal(t, 2, r.status)
				continue
			}
			lines.check(t, string(values[0]))
			var l line
			require.NoError(t, json.Unmarshal(values[0], &l))
			assert.Equal(t, r.status, l.Status)
			for _, d := range l.Diagnostics {
				checked.check(t, string(d))
			}
			if l.Result != nil {
				own.check(t, string(l.Result))
			} else if r.status != 0 {
				assert.NotEmpty(t, l.Diagnostics, "%s %q", c.name, args)
			}
		}
	}
	files, err := os.ReadDir("../../docs/schemas")
	require.NoError(t, err)
	var have []string
	for _, f := range files {
		have = append(have, f.Name())
	}
	assert.ElementsMatch(t, schemas, have)
	r := ptxabi(nil, "assign", "-format", "json", "-o")
	failed.check(t, r.stdout)
	assert.Equal(t, 2, r.status)
	for _, args := range [][]string{ // another form, or messages on standard error by -errors
		{"assign", "-format", "json", "nothing.ptx", "-format", "text"},
		{"-errors", "json", "assign", "-format", "json", "nothing.ptx"},
		{"check", "--", "-format", "json"},
	} {
		r := ptxabi(nil, args...)
		assert.Equal(t, 2, r.status, args)
		assert.Empty(t, r.stdout, args)
		assert.NotEmpty(t, r.stderr, args)
	}
}

// TestBatchFromPython runs the script of docs/batch.md.
func TestBatchFromPython(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	data := must.Read(t, "../../docs/batch.md")
	m := regexp.MustCompile("(?s)```python\n(.*?)```\n\nIt prints\n\n```text\n(.*?)```").FindSubmatch(data)
	require.NotNil(t, m)
	out, err := exec.Command(python, "-c", string(m[1])).CombinedOutput() // this program is on the path
	require.NoError(t, err, "%s", out)
	assert.Equal(t, string(m[2]), string(out))
}

// BenchmarkBatch has the smallest request and one that does something. An operation is one.
func BenchmarkBatch(b *testing.B) {
	for name, r := range map[string]jsonline.Request{
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

// TestUnread has a request that does not end, whose answer nothing reads any more: batch ends.
func TestUnread(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process is not told there before it writes")
	}
	r, w, err := os.Pipe() // to which nothing is written
	require.NoError(t, err)
	defer w.Close()
	cmd := exec.Command("ptxabi", "batch")
	cmd.ExtraFiles = []*os.File{r}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.WriteString(in, `{"args": ["targets", "sm_90"]}`+"\n"+`{"args": ["check", "/dev/fd/3"]}`+"\n")
	require.NoError(t, err)
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, out.Close())
	assert.Error(t, cmd.Wait())
	assert.Equal(t, 2, cmd.ProcessState.ExitCode())
}
