package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/tool/web"
	"github.com/ptxabi/ptxabi/internal/tool/web/server"
)

// serve serves until the test ends, and returns the address.
func serve(t *testing.T, o server.Options) string {
	t.Helper()
	addr, _ := started(t, o)
	return addr
}

// started is serve that returns the server, too.
func started(t *testing.T, o server.Options) (string, *http.Server) {
	t.Helper()
	s := server.New(o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- server.Run(ctx, s, l) }()
	t.Cleanup(func() {
		end()
		assert.NoError(t, <-done)
	})
	return l.Addr().String(), s
}

// A reply is what came back.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask sends a request; headers are names and values in turn, with Host for the
// name that the server is called by.
func ask(t *testing.T, method, url, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return reply{res.StatusCode, res.Header, string(text)}
}

var asJSON = []string{"Content-Type", "application/json"}

func TestPage(t *testing.T) {
	base := "http://" + serve(t, server.Options{Version: "v1"})
	files := web.Files(web.Server, "v1")
	types := map[string]string{
		"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
		"json": "application/json", "svg": "image/svg+xml",
	}
	for name, data := range files {
		r := ask(t, "GET", base+"/"+name, "")
		assert.Equal(t, 200, r.status, name)
		assert.Equal(t, string(data), r.body, name)
		_, ext, _ := strings.Cut(name, ".")
		assert.Equal(t, types[ext], r.header.Get("Content-Type"), name)
		assert.Equal(t, web.Policy, r.header.Get("Content-Security-Policy"))
		assert.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
		assert.Empty(t, r.header.Get("Access-Control-Allow-Origin"))
	}
	assert.Equal(t, string(files["index.html"]), ask(t, "GET", base, "").body)
	assert.Empty(t, ask(t, "HEAD", base, "").body)
}

func TestAnswer(t *testing.T) {
	base := "http://" + serve(t, server.Options{})
	r := ask(t, "POST", base+"/answer", `{"text": ".func (.reg .b32 r) f(.reg .b64 a)", "target": "sm_90"}`, asJSON...)
	require.Equal(t, 200, r.status, r.body)
	var res web.Response
	require.NoError(t, json.Unmarshal([]byte(r.body), &res))
	require.Len(t, res.Values, 2)
	assert.Equal(t, "R4:R5", res.Values[0].Where)
	assert.Equal(t, "sm_90", res.Target)
}

// TestRefused has requests that are not answered.
func TestRefused(t *testing.T) {
	addr := serve(t, server.Options{Names: []string{"explorer.example"}})
	base := "http://" + addr
	const question = `{"text": "struct S { int a; };"}`
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
	}{
		{"a question", "POST", "/answer", question, nil, 200},
		{"from the page", "POST", "/answer", question, []string{"Origin", base, "Sec-Fetch-Site", "same-origin"}, 200},
		{"by its name", "POST", "/answer", question, []string{"Host", "localhost:1234", "Origin", "http://localhost:1234"}, 200},
		{"by the name that was given", "POST", "/answer", question, []string{"Host", "Explorer.example"}, 200},
		{"by IPv6", "GET", "/", "", []string{"Host", "[::1]:80"}, 200},
		{"a link from elsewhere", "GET", "/", "", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 200},

		{"another host", "GET", "/", "", []string{"Host", "evil.example"}, 421},
		{"another host that begins alike", "POST", "/answer", question, []string{"Host", "127.0.0.1.evil.example:80"}, 421},
		{"a host that ends alike", "POST", "/answer", question, []string{"Host", "evil.localhost.example"}, 421},
		{"a local name that servers elsewhere may be asked for", "GET", "/", "", []string{"Host", "localhost."}, 421},
		{"another origin", "POST", "/answer", question, []string{"Origin", "http://evil.example"}, 403},
		{"another port's origin", "POST", "/answer", question, []string{"Origin", "http://127.0.0.1:1"}, 403},
		{"no origin to speak of", "POST", "/answer", question, []string{"Origin", "null"}, 403},
		{"another site's fetch", "POST", "/answer", question, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"another site's script", "GET", "/page.js", "", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		{"another site's frame", "GET", "/catalog.json", "", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 403},
		{"a form", "POST", "/answer", question, []string{"Content-Type", "text/plain"}, 415},
		{"no type", "POST", "/answer", question, []string{"Content-Type", ""}, 415},
		{"reading", "GET", "/answer", "", nil, 405},
		{"writing", "POST", "/", question, nil, 405},
		{"deleting", "DELETE", "/page.js", "", nil, 405},
		{"asking first", "OPTIONS", "/answer", "", []string{"Origin", "http://evil.example", "Access-Control-Request-Method", "POST"}, 403},
		{"not a question", "POST", "/answer", "<xml>", nil, 400},
		{"a question and more", "POST", "/answer", question + "]", nil, 400},
		{"a question and another", "POST", "/answer", question + question, nil, 400},
		{"a question and an end", "POST", "/answer", question + "}", nil, 400},
		{"a question and spaces", "POST", "/answer", question + " \n", nil, 200},
		{"too large", "POST", "/answer", `{"text": "` + strings.Repeat("x", server.MaxBody) + `"}`, nil, 413},
		{"a file", "GET", "/etc/passwd", "", nil, 404},
		{"a file above", "GET", "/../../../etc/passwd", "", nil, 404},
		{"a file, disguised", "GET", "/%2e%2e/%2e%2e/etc/passwd", "", nil, 404},
		{"its own source", "GET", "/server.go", "", nil, 404},
		{"the worker", "GET", "/worker.js", "", nil, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			headers := append([]string{"Content-Type", "application/json"}, tt.headers...)
			r := ask(t, tt.method, base+tt.path, tt.body, headers...)
			assert.Equal(t, tt.status, r.status, r.body)
			assert.Equal(t, web.Policy, r.header.Get("Content-Security-Policy"))
			assert.Empty(t, r.header.Get("Access-Control-Allow-Origin"))
			if tt.status != 200 {
				assert.Equal(t, "text/plain; charset=utf-8", r.header.Get("Content-Type"))
				assert.NotContains(t, r.body, "<html")
			}
		})
	}
}

// TestOptions asks what may be asked at all: that too is refused with the policy.
func TestOptions(t *testing.T) {
	addr := serve(t, server.Options{})
	conn := dial(t, addr)
	fmt.Fprintf(conn, "OPTIONS * HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", addr)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer res.Body.Close()
	assert.Equal(t, http.StatusNotFound, res.StatusCode)
	assert.Equal(t, web.Policy, res.Header.Get("Content-Security-Policy"))
}

// TestUndeclared has a body that grows without an end and without a length.
func TestUndeclared(t *testing.T) {
	addr := serve(t, server.Options{})
	conn := dial(t, addr)
	fmt.Fprintf(conn, "POST /answer HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", addr)
	go func() {
		chunk := strings.Repeat("x", 1<<16)
		for {
			if _, err := fmt.Fprintf(conn, "%x\r\n%s\r\n", len(chunk), chunk); err != nil {
				return
			}
		}
	}()
	status, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "HTTP/1.1 413 Request Entity Too Large\r\n", status)
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestSlow has clients that begin a request and do not go on: the server ends
// the connection by itself.
func TestSlow(t *testing.T) {
	addr := serve(t, server.Options{HeaderTimeout: 20 * time.Millisecond, ReadTimeout: 40 * time.Millisecond})
	for _, begun := range []string{
		"", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\nX: ",
		"POST /answer HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
	} {
		conn := dial(t, addr)
		_, err := io.WriteString(conn, begun)
		require.NoError(t, err)
		text, err := io.ReadAll(conn) // up to the end of the connection
		if err == nil {
			assert.NotContains(t, string(text), "200 OK", begun)
		}
	}
}

// TestLimits checks that a server without options has all limits.
func TestLimits(t *testing.T) {
	s := server.New(server.Options{})
	for name, limit := range map[string]time.Duration{
		"header": s.ReadHeaderTimeout, "read": s.ReadTimeout, "write": s.WriteTimeout, "idle": s.IdleTimeout,
	} {
		assert.Positive(t, limit, name)
		assert.LessOrEqual(t, limit, time.Minute, name)
	}
	assert.Positive(t, s.MaxHeaderBytes)
	assert.LessOrEqual(t, s.MaxHeaderBytes, 1<<16)
}

// TestLargeHead has more headers than the server reads.
func TestLargeHead(t *testing.T) {
	base := "http://" + serve(t, server.Options{})
	r := ask(t, "GET", base, "", "X-Large", strings.Repeat("x", 64<<10))
	assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, r.status)
}

// TestHeavy has questions that take longer than the server waits: the asker is
// told so, no more are in the making than are allowed, and when they have ended
// others are answered.
func TestHeavy(t *testing.T) {
	release := make(chan struct{})
	begun := make(chan struct{}, 16)
	base := "http://" + serve(t, server.Options{
		Deadline: 30 * time.Millisecond, AtOnce: 2,
		Answer: func(_ context.Context, q []byte) ([]byte, error) {
			if bytes.Contains(q, []byte("heavy")) {
				begun <- struct{}{}
				<-release
			}
			return []byte("{}"), nil
		},
	})
	heavy := make(chan reply)
	for range 2 {
		go func() { heavy <- ask(t, "POST", base+"/answer", "heavy", asJSON...) }()
		<-begun
	}
	for _, q := range []string{"heavy", "light"} {
		r := ask(t, "POST", base+"/answer", q, asJSON...)
		assert.Equal(t, http.StatusServiceUnavailable, r.status)
		assert.NotEmpty(t, r.header.Get("Retry-After"))
		assert.Equal(t, "the explorer is busy with other questions\n", r.body)
	}
	assert.Empty(t, begun, "in the making")
	close(release)
	for range 2 {
		r := <-heavy
		assert.Equal(t, http.StatusServiceUnavailable, r.status)
		assert.NotEmpty(t, r.header.Get("Retry-After"))
		assert.Contains(t, r.body, "no answer within 30ms")
	}
	assert.Eventually(t, func() bool {
		return ask(t, "POST", base+"/answer", "light", asJSON...).status == 200
	}, time.Minute, time.Millisecond)
}

// TestLargest has texts as long as they may be, made to be work. That they are
// answered at all within the deadline of a real server is checked here.
func TestLargest(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: texts of a megabyte take seconds")
	}
	part := effort.Of(5, 1) // of the largest text that is taken
	base := "http://" + serve(t, server.Options{Deadline: time.Minute})
	for name, text := range map[string]string{
		"functions":   ".version 6.0\n.target sm_35\n" + strings.Repeat(".func f(.param .b32 x);\n", 40000/part),
		"parameters":  ".func f(" + strings.Repeat(".param .b32 x,", 70000/part) + ".param .b32 y);",
		"diagnostics": ".version 6.0\n.target sm_35\n" + strings.Repeat("?", 900000/part),
		"blocks":      ".version 6.0\n.target sm_35\n.func f() {" + strings.Repeat("{", 500000/part),
		"fields":      "struct S {" + strings.Repeat("int a:1;", 100000/part) + "};",
		"array":       "struct A { struct { char c; int i; } a[1000000000]; };",
		"nested":      strings.Repeat("struct {", 100000/part),
		"macros":      "#define A B B\n#define B C C\n#define C D D\n#define D E E\nint x[A A A A];" + strings.Repeat("A ", 400000/part),
		"parentheses": "int " + strings.Repeat("(", 900000/part),
		"go":          "package p\ntype T struct {" + strings.Repeat("A struct {", 90000/part),
	} {
		body, err := json.Marshal(web.Request{Text: text})
		require.NoError(t, err)
		r := ask(t, "POST", base+"/answer", string(body), asJSON...)
		assert.Equal(t, 200, r.status, "%s: %.200s", name, r.body)
		assert.NotContains(t, r.body, "ptxabi failed on this text", name)
		assert.Less(t, len(r.body), 8<<20, name)
	}
}

// TestEnd checks that an answer in the making is finished when the server ends.
func TestEnd(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	s := server.New(server.Options{Answer: func(context.Context, []byte) ([]byte, error) {
		close(begun)
		<-release
		return []byte(`"done"`), nil
	}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- server.Run(ctx, s, l) }()
	answered := make(chan reply)
	go func() { answered <- ask(t, "POST", "http://"+l.Addr().String()+"/answer", "x", asJSON...) }()
	<-begun
	end()
	close(release)
	assert.Equal(t, `"done"`, (<-answered).body)
	assert.NoError(t, <-done)
	_, err = net.Dial("tcp", l.Addr().String())
	assert.Error(t, err)
}

// TestAborted has small texts that say more than there is memory for, posted
// and not waited for, as many as are made at once. The slots become free
// again: a question after them is answered.
func TestAborted(t *testing.T) {
	var shared, macros strings.Builder
	shared.WriteString("struct s0{char a,b;};")
	macros.WriteString("#define A0 1+1\n")
	for i := range 39 {
		if i < 29 {
			fmt.Fprintf(&shared, "struct s%d{struct s%d a,b;};", i+1, i)
		}
		fmt.Fprintf(&macros, "#define A%d A%d+A%d\n", i+1, i, i)
	}
	base := "http://" + serve(t, server.Options{Deadline: time.Hour})
	ctx, abort := context.WithCancel(t.Context())
	left := make(chan error)
	texts := []string{
		shared.String(), macros.String() + "int x[A39];", "struct img { float px[4096][4096]; };",
		"struct s{int a[1000];};struct t{struct s x[1000];};struct u{struct t y[1000];};struct v{struct u y[1000];};",
	}
	for _, text := range texts {
		body, err := json.Marshal(web.Request{Text: text})
		require.NoError(t, err)
		req, err := http.NewRequestWithContext(ctx, "POST", base+"/answer", bytes.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		go func() {
			res, err := http.DefaultClient.Do(req)
			if err == nil {
				res.Body.Close()
			}
			left <- err
		}()
	}
	time.AfterFunc(50*time.Millisecond, abort) // so that most have begun; the outcome is the same if not
	for range texts {
		<-left
	}
	r := ask(t, "POST", base+"/answer", `{"text": "struct S { int a; };"}`, asJSON...)
	assert.Equal(t, 200, r.status, r.body)
}
