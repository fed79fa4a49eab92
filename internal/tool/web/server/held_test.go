package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/tool/web/server"
)

// TestHalfSent has many clients each declare the largest body and send half a
// question. No more of them are held than there is room for: those that came first
// are sent away. A small question is answered among them, and so is the largest
// that is gone on with.
func TestHalfSent(t *testing.T) {
	const (
		half          = `{"text": "struct S { `
		rest          = `int a; };"}`
		held, clients = 3, 60
	)
	chunk := func(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }
	for _, tt := range []struct{ name, length, begin, end string }{
		{"declared", fmt.Sprintf("Content-Length: %d", server.MaxBody), half, rest + strings.Repeat(" ", server.MaxBody-len(half+rest))},
		{"undeclared", "Transfer-Encoding: chunked", chunk(half), chunk(rest) + chunk("")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, s := started(t, server.Options{Held: held * server.MaxBody, ReadTimeout: time.Hour})
			type gone struct {
				client int
				reply  *http.Response
				err    error
			}
			said := make(chan gone, clients)
			conns := map[int]net.Conn{}
			next := func() gone {
				select {
				case g := <-said:
					require.NoError(t, g.err)
					return g
				case <-time.After(time.Minute):
					require.Fail(t, "nobody is sent away", "%d clients are held", len(conns))
					panic("unreachable")
				}
			}
			sentAway := func() {
				t.Helper()
				g := next()
				assert.Equal(t, http.StatusServiceUnavailable, g.reply.StatusCode)
				assert.NotEmpty(t, g.reply.Header.Get("Retry-After"))
				delete(conns, g.client)
			}
			for i := range clients {
				conn := dial(t, addr)
				conns[i] = conn
				fmt.Fprintf(conn, "POST /answer HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%s\r\n\r\n", addr, tt.length)
				go func() {
					res, err := http.ReadResponse(bufio.NewReader(conn), nil)
					said <- gone{i, res, err}
				}()
				fmt.Fprint(conn, tt.begin)
			}
			for range clients - held {
				sentAway()
			}
			// The last one may have yet to take the room that was made for it.
			require.Eventually(t, func() bool { return server.Left(s) == 0 }, time.Minute, time.Millisecond)
			r := ask(t, "POST", "http://"+addr+"/answer", half+rest, asJSON...)
			assert.Equal(t, http.StatusOK, r.status, r.body)
			sentAway()
			assert.Len(t, conns, held-1)
			assert.Empty(t, said)
			for _, conn := range conns {
				go io.WriteString(conn, tt.end)
			}
			for range conns {
				g := next()
				assert.Equal(t, http.StatusOK, g.reply.StatusCode)
			}
		})
	}
}

// TestFull has the room full of questions that are being answered, of which none
// can be sent away: others are refused at once, until those have ended.
func TestFull(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	addr := serve(t, server.Options{Held: server.MaxBody, Deadline: time.Hour, Answer: func(_ context.Context, q []byte) ([]byte, error) {
		if len(q) == server.MaxBody {
			begun <- struct{}{}
			<-release
		}
		return []byte("{}"), nil
	}})
	answered := make(chan reply)
	go func() {
		answered <- ask(t, "POST", "http://"+addr+"/answer", strings.Repeat("x", server.MaxBody), asJSON...)
	}()
	<-begun
	for _, question := range []string{"small", strings.Repeat("x", server.MaxBody-1)} {
		r := ask(t, "POST", "http://"+addr+"/answer", question, asJSON...)
		assert.Equal(t, http.StatusServiceUnavailable, r.status)
		assert.NotEmpty(t, r.header.Get("Retry-After"))
		assert.Equal(t, "the explorer holds as many questions as it can\n", r.body)
	}
	close(release)
	assert.Equal(t, http.StatusOK, (<-answered).status)
	assert.Eventually(t, func() bool {
		return ask(t, "POST", "http://"+addr+"/answer", "small", asJSON...).status == http.StatusOK
	}, time.Minute, time.Millisecond)
}
