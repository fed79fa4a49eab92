// Package workers answers questions in processes of the program's own, so that the work on what nothing waits for any
// more can be stopped at once, wherever in a reader it is.
package workers

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// A Process answers questions one after the other, as [Work] does. Kill ends it at once,
// whatever it is doing.
type Process struct {
	In   io.Writer
	Out  io.Reader
	Kill func()
}

// A Pool answers questions in processes, each of which has one question at a time: what is
// given up ends with its process, wherever in a reader it is. A question that takes longer
// than Quick goes on beside the others if one of the few places for slow questions is free;
// otherwise it is stopped, and begun again when one is. So questions that take no time do
// not wait for those that do.
type Pool struct {
	// Start starts a process.
	Start func() (*Process, error)
	// Quick is how long a question may take beside all others; 0 means a quarter of a second.
	Quick time.Duration

	once        sync.Once
	quick, slow chan struct{}
	mu          sync.Mutex
	idle        []*Process
}

// ErrEnded says that a process has ended before it answered.
var ErrEnded = errors.New("the process that makes the answer has ended")

// Answer answers a question. When the context ends, the work on it ends too.
func (p *Pool) Answer(ctx context.Context, question []byte) ([]byte, error) {
	p.once.Do(func() {
		p.quick = make(chan struct{}, max(2, runtime.NumCPU()))
		p.slow = make(chan struct{}, max(1, runtime.NumCPU()/2))
	})
	if err := enter(ctx, p.quick); err != nil {
		return nil, err
	}
	w, err := p.take()
	if err != nil {
		<-p.quick
		return nil, err
	}
	done := w.ask(question)
	timer := time.NewTimer(cmp.Or(p.Quick, time.Second/4))
	defer timer.Stop()
	place := p.quick
	for {
		select {
		case a := <-done:
			<-place
			return p.end(w, a)
		case <-ctx.Done():
			p.discard(w)
			<-place
			return nil, ctx.Err()
		case <-timer.C:
		}
		select {
		case p.slow <- struct{}{}:
			<-p.quick
		default:
			p.discard(w)
			<-p.quick
			if err := enter(ctx, p.slow); err != nil {
				return nil, err
			}
			if w, err = p.take(); err != nil {
				<-p.slow
				return nil, err
			}
			done = w.ask(question)
		}
		place = p.slow
	}
}

// Self returns a function that starts this program again with an argument, for which it has
// to call [Work]. The processes have one processor each.
func Self(arg string, most uint64) func() (*Process, error) {
	return func() (*Process, error) {
		path, err := os.Executable()
		if err != nil {
			return nil, err
		}
		cmd := exec.Command(path, arg)
		cmd.Args[0] = os.Args[0]
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		if most > 0 {
			cmd.Env = append(cmd.Env, fmt.Sprintf("GOMEMLIMIT=%d", most/4*3))
		}
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		return &Process{In: in, Out: bufio.NewReader(out), Kill: func() {
			cmd.Process.Kill()
			cmd.Wait()
		}}, nil
	}
}

// enter takes one of the places, when one is free.
func enter(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take returns a process that has nothing to do.
func (p *Pool) take() (*Process, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return w, nil
	}
	p.mu.Unlock()
	return p.Start()
}

// discard ends a process.
func (p *Pool) discard(w *Process) { go w.Kill() }

// end returns an answer, and keeps the process for the next question.
func (p *Pool) end(w *Process, a answer) ([]byte, error) {
	if a.err != nil {
		p.discard(w)
		return nil, a.err
	}
	if a.kind&lastAnswer != 0 {
		p.discard(w)
	} else {
		p.mu.Lock()
		p.idle = append(p.idle, w)
		p.mu.Unlock()
	}
	if a.kind&noAnswer != 0 {
		return nil, errors.New(string(a.text))
	}
	return a.text, nil
}

// Close ends all processes that have nothing to do.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.idle {
		w.Kill()
	}
	p.idle = nil
}

// An answer is the output of a process.
type answer struct {
	kind byte
	text []byte
	err  error // of the process
}

// Bits of the kind of an answer.
const (
	noAnswer   = 1 << iota // the text says why there is none
	lastAnswer             // the process ends
)

// ask gives a process a question. The channel has room for its answer.
func (w *Process) ask(question []byte) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		var a answer
		err := writeFrame(w.In, 0, question)
		if err == nil {
			a.kind, a.text, err = readFrame(w.Out)
		}
		if err != nil {
			a.err = ErrEnded
		}
		done <- a
	}()
	return done
}

// A frame is a byte for its kind, the length of its text in four bytes, and the text.
func writeFrame(w io.Writer, kind byte, text []byte) error {
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(text)))
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(text)
	return err
}

func readFrame(r io.Reader) (kind byte, text []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	text = make([]byte, binary.BigEndian.Uint32(head[1:]))
	_, err = io.ReadFull(r, text)
	return head[0], text, err
}

// Work answers the questions of a [Pool] until in ends, and then ends at once, whatever it is
// doing. It ends too where it has more than so many bytes of memory, if most is not 0, and after
// an answer that leaves it many.
func Work(in io.Reader, out io.Writer, most uint64, reply func([]byte) ([]byte, error)) {
	questions := make(chan []byte)
	go func() {
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			_, q, err := readFrame(r)
			if err != nil {
				os.Exit(0)
			}
			questions <- q
		}
	}()
	if most > 0 {
		go func() {
			for range time.Tick(20 * time.Millisecond) {
				if memory() > most {
					os.Exit(1)
				}
			}
		}()
	}
	for q := range questions {
		kind := byte(0)
		text, err := reply(q)
		if err != nil {
			kind, text = noAnswer, []byte(err.Error())
		}
		if memory() > kept {
			kind |= lastAnswer
		}
		if err := writeFrame(out, kind, text); err != nil {
			os.Exit(0)
		}
	}
}

// kept is how much memory a process may have after an answer, in bytes, and answer others.
const kept = 64 << 20

// memory is how much memory the process has of the system, in bytes.
func memory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
