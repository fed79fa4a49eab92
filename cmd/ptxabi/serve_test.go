//go:build !js

package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServe asks for the page at the address that serve prints, and interrupts
// it.
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

// TestServeTaken checks that an address that is in use is said to be.
func TestServeTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	r := ptxabi(nil, "serve", "-addr", l.Addr().String())
	assert.Equal(t, 2, r.status)
	assert.Empty(t, r.stdout)
	assert.Regexp(t, `^ptxabi: serve: listen tcp `+l.Addr().String()+`: .*in use`, r.stderr)
}
