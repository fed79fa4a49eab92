package disk

import (
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
)

// temporary are the files that CreateBeside has made and that Settled has not been told of.
var temporary removal

type removal struct {
	sync.Mutex
	names   []string
	signals chan os.Signal
}

// watch has the process remove all files when it is interrupted, terminated or loses its terminal, and end as a shell
// says of it, with 128 and the number of the signal. A signal that is ignored, as in the background
// of a script, stays ignored. WebAssembly has no signals, and a panic for the question whether one is ignored.
func (r *removal) watch() {
	if runtime.GOARCH == "wasm" {
		return
	}
	if r.signals == nil {
		r.signals = make(chan os.Signal, 1)
		go r.wait()
	}
	const hangup = syscall.Signal(1) // SIGHUP, a name that WebAssembly lacks
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, hangup} {
		if !signal.Ignored(s) {
			signal.Notify(r.signals, s)
		}
	}
}

// rest ends that where there are no files.
func (r *removal) rest() {
	if len(r.names) == 0 && r.signals != nil {
		signal.Stop(r.signals)
	}
}

func (r *removal) wait() {
	s := <-r.signals
	r.Lock() // for good: no file is made any more
	for _, name := range r.names {
		os.Remove(name)
	}
	status := 2
	if n, ok := s.(syscall.Signal); ok {
		status = 128 + int(n)
	}
	os.Exit(status)
}

// Settled says that a file of [CreateBeside] has its place or is removed: nothing is under its
// first name any more.
func Settled(name string) {
	temporary.Lock()
	defer temporary.Unlock()
	if i := slices.Index(temporary.names, name); i >= 0 {
		temporary.names = slices.Delete(temporary.names, i, i+1)
		temporary.rest()
	}
}
