// Package workers answers questions in processes of the program's own, so that the work on what nothing waits for any
// more can be stopped at once, wherever in a reader it is.
package workers

import (
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

// A Run answers a question. When the context ends, the work on it ends too.
type Run func(ctx context.Context, question []byte) ([]byte, error)

// ErrEnded says that a process has ended before it answered.
var ErrEnded = errors.New("the process that makes the answer has ended")

// noAnswer is the exit status of a process that says why there is no answer.
const noAnswer = 3

// Self returns what answers each question in a process of its own: this program with an argument, for which it has to
// call [Work]. The process has one processor.
func Self(arg string, most uint64) Run {
	return func(ctx context.Context, question []byte) ([]byte, error) {
		path, err := os.Executable()
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, path, arg)
		cmd.Args[0] = os.Args[0]
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		if most > 0 {
			cmd.Env = append(cmd.Env, fmt.Sprintf("GOMEMLIMIT=%d", most/4*3))
		}
		in, err := cmd.StdinPipe() // open as long as the process runs, which ends when it is closed
		if err != nil {
			return nil, err
		}
		go in.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(question))), question...))
		text, err := cmd.Output()
		exit := (*exec.ExitError)(nil)
		switch {
		case err == nil:
			return text, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &exit) && exit.ExitCode() == noAnswer:
			return nil, errors.New(string(text))
		case exit != nil:
			return nil, ErrEnded
		}
		return nil, err
	}
}

// Work answers the question of a [Run] by [Self], and ends the process. It ends at once where in ends, and where the
// process has more than so many bytes of memory, if most is not 0.
func Work(in io.Reader, out io.Writer, most uint64, reply func([]byte) ([]byte, error)) {
	var size uint32
	if binary.Read(in, binary.BigEndian, &size) != nil {
		os.Exit(0)
	}
	question := make([]byte, size)
	io.ReadFull(in, question)
	go func() {
		io.Copy(io.Discard, in)
		os.Exit(0)
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
	status := 0
	text, err := reply(question)
	if err != nil {
		status, text = noAnswer, []byte(err.Error())
	}
	out.Write(text)
	os.Exit(status)
}

// memory is how much memory the process has of the system, in bytes.
func memory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// A Pool bounds how many questions are answered at once. What takes longer than Quick is stopped, and begun again in one
// of the few places for slow questions when one is free. So questions that take no time do not wait for those that do.
type Pool struct {
	Run Run
	// Quick is how long a question may take beside all others; 0 means a quarter of a second.
	Quick time.Duration

	once        sync.Once
	quick, slow places
}

// Answer answers a question. When the context ends, the work on it ends too.
func (p *Pool) Answer(ctx context.Context, question []byte) ([]byte, error) {
	p.once.Do(func() {
		p.quick = make(places, max(2, runtime.NumCPU()))
		p.slow = make(places, max(1, runtime.NumCPU()/2))
	})
	text, late, err := p.quick.run(ctx, cmp.Or(p.Quick, time.Second/4), p.Run, question)
	if late {
		text, _, err = p.slow.run(ctx, forever, p.Run, question)
	}
	return text, err
}

const forever = 1<<63 - 1

// places has an element for each question in the making.
type places chan struct{}

// run answers a question when a place is free. It reports whether the answer took longer than most.
func (p places) run(ctx context.Context, most time.Duration, run Run, question []byte) (text []byte, late bool, err error) {
	select {
	case p <- struct{}{}:
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	defer func() { <-p }()
	within, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	text, err = run(within, question)
	return text, err != nil && within.Err() != nil && ctx.Err() == nil, err
}
