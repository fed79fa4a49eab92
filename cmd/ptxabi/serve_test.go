//go:build !js

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
)

// TestServe fetches the page at the address that serve prints, and interrupts
// serve.
func TestServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt itself there")
	}
	for _, tt := range []struct{ addr, url, said string }{
		{"127.0.0.1:0", `^http://127\.0\.0\.1:\d+/$`, "ptxabi: serving this machine alone; interrupt to end\n"},
		{"localhost:0", `^http://localhost:\d+/$`, "ptxabi: serving this machine alone; interrupt to end\n"},
		{
			"0.0.0.0:0", `^http://127\.0\.0\.1:\d+/$`,
			"ptxabi: warning: other machines can reach this address, without encryption; interrupt to end\n" +
				"ptxabi: other machines call it by an IP address of this one, port PORT; to be called by a name, use -addr NAME:PORT\n",
		},
	} {
		out, stdout := io.Pipe()
		var stderr strings.Builder
		status := make(chan int)
		go func() {
			n := run([]string{"serve", "-addr", tt.addr}, env{stdout: stdout, stderr: &stderr})
			stdout.Close()
			status <- n
		}()
		r := bufio.NewReader(out)
		url, err := r.ReadString('\n')
		require.NoError(t, err)
		url = strings.TrimSpace(url)
		assert.Regexp(t, tt.url, url)
		res, err := http.Get(url)
		require.NoError(t, err)
		page, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		res.Body.Close()
		http.DefaultClient.CloseIdleConnections()
		assert.Equal(t, http.StatusOK, res.StatusCode)
		assert.Contains(t, string(page), "<title>")

		self, err := os.FindProcess(os.Getpid())
		require.NoError(t, err)
		require.NoError(t, self.Signal(os.Interrupt))
		rest, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Empty(t, rest)
		assert.Equal(t, 0, <-status)
		port := regexp.MustCompile(`:(\d+)/`).FindStringSubmatch(url)[1]
		assert.Equal(t, strings.ReplaceAll(tt.said, "port PORT", "port "+port), stderr.String())
	}
}

// TestServeTaken checks that an address in use is reported.
func TestServeTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	r := ptxabi(nil, "serve", "-addr", l.Addr().String())
	assert.Equal(t, 2, r.status)
	assert.Empty(t, r.stdout)
	assert.Regexp(t, `^ptxabi: serve: listen tcp `+l.Addr().String()+`: .*in use`, r.stderr)
}

// TestServeBeside has a server answer 1,000 small questions while eight clients send the worst ones, each another once one is answered or
// refused: in ten seconds, with less than 500 MB in all its processes.
func TestServeBeside(t *testing.T) {
	effort.NeedLong(t, "it keeps every processor busy for ten seconds")
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read from /proc")
	}
	tool := filepath.Join(t.TempDir(), "ptxabi")
	out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.Command(tool, "serve")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	url, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	ask := func(ctx context.Context, lang, text string) int {
		q, err := json.Marshal(map[string]string{"lang": lang, "target": "sm_90", "text": text})
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(ctx, "POST", strings.TrimSpace(url)+"answer", bytes.NewReader(q))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0
		}
		defer res.Body.Close()
		io.Copy(io.Discard, res.Body)
		return res.StatusCode
	}
	const head = ".version 8.7\n.target sm_90\n.address_size 64\n"
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for _, q := range [][2]string{
		{"c", "struct s0{int x;};" + join(1400, "", "struct s#+{struct s# a;int y;};")},
		{"c", "union u{" + join(1400, "", "int a#[1500];") + "};"},
		{"c", "#define M0 1+1\n" + join(40, "", "#define M#+ M#+M#\n") + "struct s{int x[M40];};"},
		{"go", "package x\ntype T0 struct{A int32}\n" + join(17, "\n", "type T#+ struct{A,B T#}")},
		{"ptx", head + ".extern .func f(" + join(20000, ",", ".param .b32 p#") + ");.visible .func g(){" + join(20000, "", ".param .b32 a#;") + "call f,(" + join(20000, ",", "a#") + ");ret;}"},
		{"ptx", head + join(20000, " ", ".func f#(.param .align 3 .b8 x[4]);")},
		{"ptx", head + ".visible .func f(){" + join(100000, "\n", "foo bar;") + "ret;}"},
		{"ptx", head + ".visible .func f(){" + join(30000, "", "{.reg .b32 a;mov.b32 a,1;") + strings.Repeat("}", 30000) + "ret;}"},
	} {
		clients.Go(func() {
			for ctx.Err() == nil {
				ask(ctx, q[0], q[1])
			}
		})
	}
	most := 0
	clients.Go(func() {
		for ctx.Err() == nil {
			most = max(most, memoryOf(cmd.Process.Pid))
			time.Sleep(20 * time.Millisecond)
		}
	})
	time.Sleep(3 * time.Second)
	begin := time.Now()
	for i := range 1000 {
		require.Equal(t, http.StatusOK, ask(ctx, "ptx", fmt.Sprintf("%s.visible .func f%d(.param .b32 a){ret;}", head, i)))
	}
	took := time.Since(begin)
	cancel()
	clients.Wait()
	t.Logf("1,000 answers in %v, %d MB", took, most>>20)
	assert.Less(t, took, 40*time.Second, "10 are the goal for two cores that nobody else uses; this notices a server that stands")
	assert.Less(t, most, 500<<20)
	assert.Positive(t, most)
}

// join is n texts made by a format of their numbers.
func join(n int, sep, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(format, "#+", fmt.Sprint(i+1)), "#", fmt.Sprint(i)))
	}
	return b.String()
}

// TestStopped gives each of the commands that answer for long something that takes long, and then gives it up: what they
// and their processes have of processors from then on is less than a tenth of a second.
func TestStopped(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the time of a process is read from /proc")
	}
	hard := ".version 8.7\n.target sm_90\n.address_size 64\n.visible .func f(){" + strings.Repeat("foo bar;\n", 100_000) + "ret;}"
	asJSON := func(v any) string {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		return string(text)
	}
	message := func(method, params string) string {
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
		return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	for name, begin := range map[string]func(in io.Writer, out io.ReadCloser) (stop func()){
		"serve": func(_ io.Writer, out io.ReadCloser) func() {
			url, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			ctx, stop := context.WithCancel(t.Context())
			q := asJSON(map[string]string{"lang": "ptx", "target": "sm_90", "text": hard})
			r, err := http.NewRequestWithContext(ctx, "POST", strings.TrimSpace(url)+"answer", strings.NewReader(q))
			require.NoError(t, err)
			r.Header.Set("Content-Type", "application/json")
			go http.DefaultClient.Do(r)
			return stop
		},
		"lsp": func(in io.Writer, _ io.ReadCloser) func() {
			open := asJSON(map[string]any{"textDocument": map[string]any{"uri": "file:///x.ptx", "version": 1, "text": hard}})
			io.WriteString(in, message("initialize", `{"capabilities":{}}`)+message("textDocument/didOpen", open))
			return func() {
				io.WriteString(in, message("textDocument/didClose", `{"textDocument":{"uri":"file:///x.ptx"}}`))
			}
		},
		"batch": func(in io.Writer, out io.ReadCloser) func() {
			go io.WriteString(in, asJSON(map[string]any{"args": []string{"check", "-"}, "stdin": hard})+"\n")
			return func() { out.Close() }
		},
	} {
		cmd := exec.Command("ptxabi", name)
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		stop := begin(in, out)
		idle := 1 // processes while it does nothing
		if name == "batch" {
			idle = 0 // it works itself, and ends
		}
		require.Eventually(t, func() bool { return len(family(cmd.Process.Pid)) > idle && processorOf(cmd.Process.Pid, idle) > 0 }, time.Minute, time.Millisecond)
		stop()
		before := processorOf(cmd.Process.Pid, 0)
		require.Eventually(t, func() bool {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
			return len(family(cmd.Process.Pid)) == 1 && (idle == 1 || bytes.Contains(text, []byte(") Z ")))
		}, time.Minute, time.Millisecond, "%s goes on", name)
		assert.Less(t, processorOf(cmd.Process.Pid, 0)-before, 100*time.Millisecond, name)
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// processorOf is how long a process, those that it has started and those of them that have ended have had processors, without
// the first so many.
func processorOf(pid, without int) (total time.Duration) {
	for _, p := range family(pid)[without:] {
		text, _ := os.ReadFile("/proc/" + p + "/stat")
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		for _, f := range fields[min(11, len(fields)):min(15, len(fields))] {
			ticks, _ := strconv.Atoi(f)
			total += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return total
}

// family are a process and those that it has started.
func family(pid int) []string {
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	all := []string{fmt.Sprint(pid)}
	for _, name := range children {
		list, _ := os.ReadFile(name)
		all = append(all, strings.Fields(string(list))...)
	}
	return all
}

// memoryOf is how many bytes a process and those that it has started hold, as Linux counts them.
func memoryOf(pid int) int {
	total := 0
	for _, p := range family(pid) {
		text, _ := os.ReadFile("/proc/" + p + "/smaps_rollup")
		_, rest, _ := strings.Cut(string(text), "\nPss:")
		kilobytes, _ := strconv.Atoi(strings.TrimSpace(strings.SplitN(rest, "kB", 2)[0]))
		total += kilobytes << 10
	}
	return total
}
