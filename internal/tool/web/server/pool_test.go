package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/cli/workers"
	"github.com/ptxabi/ptxabi/internal/tool/web/server"
)

const testWorker = "server-test-worker"

// TestMain is a process of a pool where a pool starts it.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == testWorker {
		workers.Work(os.Stdin, os.Stdout, server.MaxMemory, hostileReply)
	}
	os.Exit(m.Run())
}

// hostileReply answers with the question, and does to the process what the worst questions do.
func hostileReply(q []byte) ([]byte, error) {
	switch string(q) {
	case "loop":
		for n := 0; ; n++ { // as a reader that does not end
			spun = n
		}
	case "memory":
		for {
			held = append(held, bytes.Repeat([]byte{1}, 1<<20))
		}
	case "deep":
		return deep(q, 1), nil
	case "wrong":
		return nil, errors.New("it is wrong")
	}
	return q, nil
}

// What the worst questions leave, which no compiler takes away.
var (
	spun int
	held [][]byte
)

// deep calls itself until the stack is full, from which no Go program recovers.
func deep(q []byte, n int) []byte {
	if n == 0 {
		return q
	}
	return append(deep(q, n+1), 2)
}

// pool returns a pool of processes of which it counts those that run.
func pool(t *testing.T) (*workers.Pool, *atomic.Int64) {
	running := new(atomic.Int64)
	start := workers.Self(testWorker, server.MaxMemory)
	p := &workers.Pool{Quick: 50 * time.Millisecond, Start: func() (*workers.Process, error) {
		w, err := start()
		if err != nil {
			return nil, err
		}
		running.Add(1)
		kill := w.Kill
		w.Kill = func() {
			kill()
			running.Add(-1)
		}
		return w, nil
	}}
	t.Cleanup(func() {
		p.Close()
		assert.Eventually(t, func() bool { return running.Load() == 0 }, time.Minute, time.Millisecond, "processes are left")
	})
	return p, running
}

// TestPool has questions that do not end, for each of which a client waits for some time, and asks again: small questions are
// answered beside them, also where the machine is so busy that they are slow, and when nothing waits any more, no process
// works on them.
func TestPool(t *testing.T) {
	p, running := pool(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	const hostile = 8
	for range hostile {
		go func() {
			for ctx.Err() == nil {
				patient, give := context.WithTimeout(ctx, time.Second)
				_, err := p.Answer(patient, []byte("loop"))
				assert.ErrorIs(t, err, patient.Err())
				give()
			}
			ended <- ctx.Err()
		}()
	}
	for range 100 {
		text, err := p.Answer(t.Context(), []byte("small"))
		require.NoError(t, err)
		require.Equal(t, "small", string(text))
	}
	_, err := p.Answer(t.Context(), []byte("wrong"))
	assert.EqualError(t, err, "it is wrong")
	cancel()
	for range hostile {
		assert.ErrorIs(t, <-ended, context.Canceled)
	}
	p.Close()
	assert.Eventually(t, func() bool { return running.Load() == 0 }, time.Minute, time.Millisecond)
}

// TestPoolEnded has questions that no process survives: they are refused, and others are answered.
func TestPoolEnded(t *testing.T) {
	p, _ := pool(t)
	for _, q := range []string{"memory", "deep"} {
		_, err := p.Answer(t.Context(), []byte(q))
		assert.ErrorIs(t, err, workers.ErrEnded, q)
		text, err := p.Answer(t.Context(), []byte("small"))
		assert.NoError(t, err)
		assert.Equal(t, "small", string(text))
	}
	addr := serve(t, server.Options{Answer: p.Answer})
	r := ask(t, "POST", "http://"+addr+"/answer", "memory", asJSON...)
	assert.Equal(t, http.StatusServiceUnavailable, r.status)
	assert.Contains(t, r.body, "144 MiB of memory")
}

// TestDeadline has a question that takes longer than an answer may, and one whose client goes: both are stopped.
func TestDeadline(t *testing.T) {
	p, running := pool(t)
	addr := serve(t, server.Options{Answer: p.Answer, Deadline: 100 * time.Millisecond})
	r := ask(t, "POST", "http://"+addr+"/answer", "loop", asJSON...)
	assert.Equal(t, http.StatusServiceUnavailable, r.status)
	assert.Contains(t, r.body, "no answer within 100ms")
	assert.Eventually(t, func() bool { return running.Load() == 0 }, time.Minute, time.Millisecond)

	addr = serve(t, server.Options{Answer: p.Answer, Deadline: time.Hour})
	conn := dial(t, addr)
	io.WriteString(conn, "POST /answer HTTP/1.1\r\nHost: "+addr+"\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nloop")
	require.Eventually(t, func() bool { return running.Load() > 0 }, time.Minute, time.Millisecond)
	conn.Close()
	assert.Eventually(t, func() bool { return running.Load() == 0 }, time.Minute, time.Millisecond)
}
