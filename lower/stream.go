package lower

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/checking"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// Heads returns what [Text] returns of the same module read as a whole, for one
// of which there is an outline: each body is read, checked,
// lowered and forgotten. That takes room for the text that comes out and for one
// body for each worker.
//
// It reports false, and has said nothing, where package check finds something wrong
// with the module, or where a body says something about the whole of it: then the module
// has to be read as a whole, and Text knows what to say. So it is with
// Options.Func and Options.Homes. What has no lowering is the error, as it is of Text.
func Heads(o *ptx.Outline, t *abi.Target, opts Options) (text [][]byte, ok bool, err error) {
	if isNone(t) {
		return nil, false, errors.New("lower: no target")
	}
	if o == nil {
		return nil, false, errors.New("lower: no module")
	}
	m := o.Module()
	if opts.Func != "" || opts.alloc() {
		return nil, false, nil
	}
	walk := checking.New(o)
	if !walk.Outside() {
		// What heads say against each other goes before: bodies are lowered that
		// stand before the one that is wrong.
		return nil, false, nil
	}
	s := &stream{
		lowerer: lowerer{m: m, t: t, table: walk.Names(), opts: opts, textOnly: true, outline: o, entryCode: entryCode(t)},
		walk:    walk,
	}
	s.moved.L = &s.mu
	s.text.add((&sass.Program{Target: t.Name}).AppendText(nil))
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok && f.HasBody {
			s.list = append(s.list, f)
			s.size += len(o.BodyText(f))
		}
	}
	s.run()
	if s.failed != nil {
		panic(s.failed)
	}
	if s.whole || !s.checked() {
		return nil, false, nil
	}
	if err := s.finish(); err != nil {
		return nil, true, err
	}
	s.amend()
	return s.text.all(), true, nil
}

// A stream lowers a module body by body. Each goroutine takes the next function
// and reads its body. It waits until those before have been checked, checks it,
// lowers it, and leaves the text, which is handed over when those before have
// been. It does not wait for that: functions are of all sizes.
type stream struct {
	lowerer
	size int // of the bodies, in bytes
	// alone says that one goroutine does it all: what it has made of a function stands
	// in the text, and the next begins behind it.
	alone bool
	walk  checking.Walk
	text  parts

	mu      sync.Mutex
	moved   sync.Cond       // toCheck or whole is another
	next    int             // function to be read next
	toCheck int             // to be checked next
	labels  int             // that calls of the functions checked so far make
	done    []lowered       // by function, from toEmit on
	takenIn map[string]bool // functions whose address bodies take
	notes   []callNote
	toEmit  int  // to be handed over next
	whole   bool // the module has to be read as a whole
	failed  any  // what a goroutine panicked with
}

// lowered is what has become of a function, until those before it are handed over.
type lowered struct {
	ok    bool
	text  []byte
	notes []lir.Late
	diags diag.List
}

// textSize is how much text is worth another goroutine, in bytes: to start a thread
// for one takes as long as lowering some kilobytes.
const textSize = 64 << 10

// run reads, checks and lowers all functions.
func (s *stream) run() {
	n := s.opts.Workers
	if n == 0 {
		n = min(runtime.GOMAXPROCS(0), 1+s.size/textSize)
	}
	if n = min(n, len(s.list)); n <= 1 {
		s.alone = true
		s.work()
		return
	}
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					s.mu.Lock()
					s.failed, s.whole = fmt.Sprintf("%v\n%s", p, debug.Stack()), true
					s.moved.Broadcast()
					s.mu.Unlock()
				}
			}()
			s.work()
		})
	}
	all.Wait()
}

// Several goroutines take turns of turnFuncs functions, or of fewer that are turnSize bytes
// together: to wait for one's turn to be checked takes as long as lowering a function.
const (
	turnFuncs = 8
	turnSize  = 32 << 10
)

// A worker is the memory of a goroutine that lowers functions of a stream.
type worker struct {
	fn   fn
	turn [turnFuncs]inTurn
	// largest is how many statements, names or arguments the largest function had, of
	// each of which there is a list.
	largest int
}

// manyStatements is from what size of a function on the memory for it is not kept for the
// next module: who lowers small modules behind a large one would keep all of it for ever.
const manyStatements = 1 << 13

// An inTurn is a function that a goroutine has taken.
type inTurn struct {
	r           *ptx.Reader
	f           ptx.Func // with its body, unlike those of the list
	names       resolved.Resolver
	body        *resolved.Body
	kept        bool // the check holds nodes of the body
	first, made int  // labels, as check returns them
}

// workers are those that have done their work. Who lowers many small modules
// allocates half as much with them; the collector takes what nobody asks for.
var workers = sync.Pool{New: func() any { return new(worker) }}

// work lowers functions until there are no more.
func (s *stream) work() {
	w := workers.Get().(*worker)
	w.fn.use(&s.lowerer)
	room := w.fn.printed
	s.lower(w)
	if s.alone { // it was a part of the text
		w.fn.printed = room
	}
	w.fn.lowerer, w.fn.printed, w.fn.diags = nil, w.fn.printed[:0], nil
	for i := range w.turn {
		w.turn[i].f, w.turn[i].body = ptx.Func{}, nil
		w.turn[i].names.Forget()
	}
	w.fn.placer.takenHere = nil
	if w.largest < manyStatements && cap(w.fn.printed) <= 2*partSize {
		workers.Put(w) // not after a panic
	}
}

func (s *stream) lower(w *worker) {
	for {
		i, n := s.take()
		if n == 0 {
			return
		}
		turn := w.turn[:n]
		for k := range turn {
			if !s.read(&turn[k], s.list[i+k]) {
				s.giveUp()
				return
			}
		}
		for k := range turn {
			t, ok := &turn[k], false
			if t.kept, t.first, t.made, ok = s.check(i+k, t.body); !ok {
				return
			}
		}
		for k := range turn {
			ok := s.lowerOne(&w.fn, i+k, &turn[k])
			w.largest = max(w.largest, len(turn[k].f.Body), turn[k].body.Numbers(), len(w.fn.callVars))
			if !ok {
				s.giveUp()
				return
			}
		}
	}
}

// take returns the functions of the next turn: the index of the first one and how many
// there are, none if there is nothing to be done any more.
func (s *stream) take() (first, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = s.next
	if s.whole {
		return first, 0
	}
	for size := 0; s.next < len(s.list) && n < turnFuncs && size < turnSize; n++ {
		size += len(s.outline.BodyText(s.list[s.next]))
		s.next++
		if s.alone {
			return first, 1
		}
	}
	return first, n
}

// read reads the body of a function.
func (s *stream) read(t *inTurn, f *ptx.Func) (ok bool) {
	if t.r == nil || t.kept {
		t.r, t.kept = new(ptx.Reader), false
	}
	t.f = *f
	if t.f.Body, ok = t.r.Body(s.outline, f); ok {
		t.names.Numbers = true
		t.body = t.names.Body(&t.f, t.f.Body, resolve.ParamsInBody(s.m, f))
	}
	return ok
}

// lowerOne lowers function i and hands it over. It reports false where it has made other
// labels than those that functions behind it count on from.
func (s *stream) lowerOne(fn *fn, i int, t *inTurn) bool {
	fn.labels = t.first
	// What comes out is mostly larger than the body by less than half.
	if size := 3 * len(s.outline.BodyText(s.list[i])) / 2; s.alone {
		fn.printed = s.text.free(size)
	} else {
		fn.printed = slices.Grow(fn.printed, size)
	}
	fn.function(t.body)
	if s.alone {
		s.labels = fn.labels
	} else if fn.labels != t.first+t.made {
		return false
	}
	s.emit(i, fn)
	return true
}

// giveUp says that the module has to be read as a whole.
func (s *stream) giveUp() {
	s.mu.Lock()
	s.whole = true
	s.moved.Broadcast()
	s.mu.Unlock()
}

// labelsMade returns how many labels lowering f makes.
func (s *stream) labelsMade(f *ptx.Func) int {
	made := s.labelsAtEntry()
	for _, st := range f.Body {
		if c, ok := st.(*ptx.Call); ok {
			made += s.labelsOf(c)
		}
	}
	return made
}

// check checks b, the body of function i. It returns the number of its first label and,
// where others have to know before it is lowered, how many it makes, and reports whether the check holds nodes of the body.
func (s *stream) check(i int, b *resolved.Body) (kept bool, first, made int, ok bool) {
	if !s.alone {
		made = s.labelsMade(b.Func)
	}
	s.mu.Lock()
	for s.toCheck != i && !s.whole {
		s.moved.Wait()
	}
	first, whole := s.labels, s.whole
	s.mu.Unlock()
	if whole {
		return false, 0, 0, false
	}
	if kept, ok = s.walk.Body(s.list[i], b); !ok {
		s.giveUp()
		return false, 0, 0, false
	}
	s.mu.Lock()
	s.labels += made
	s.toCheck++
	s.moved.Broadcast()
	s.mu.Unlock()
	return kept, first, made, true
}

// emit hands over what fn has made of function i, and of those behind it that are
// done, or leaves it until those before are.
func (s *stream) emit(i int, fn *fn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alone {
		before := len(*s.text.last)
		s.placed(fn.code.Late, s.text.appended(fn.printed)-before)
		s.diags = append(s.diags, fn.diags...)
	} else if s.toEmit == i {
		s.text.add(fn.printed)
		s.placed(fn.code.Late, len(*s.text.last)-len(fn.printed))
		s.diags = append(s.diags, fn.diags...)
		s.toEmit++
		for ; s.toEmit < len(s.done) && s.done[s.toEmit].ok; s.toEmit++ {
			d := &s.done[s.toEmit]
			s.text.add(d.text)
			s.placed(d.notes, len(*s.text.last)-len(d.text))
			s.diags = append(s.diags, d.diags...)
			*d = lowered{}
		}
	} else {
		for len(s.done) <= i {
			s.done = append(s.done, lowered{})
		}
		s.done[i] = lowered{true, slices.Clone(fn.printed), slices.Clone(fn.code.Late), fn.diags}
	}
	if taken := fn.placer.takenHere; len(taken) > 0 {
		if s.takenIn == nil {
			s.takenIn = make(map[string]bool)
		}
		maps.Copy(s.takenIn, taken)
		clear(taken)
	}
	fn.printed, fn.diags = fn.printed[:0], nil
}

// checked ends the check, and reports whether nothing is wrong.
func (s *stream) checked() bool {
	var r *ptx.Reader // for few modules
	found := s.walk.Finish(func(f *ptx.Func) []ptx.Stmt {
		if r == nil {
			r = new(ptx.Reader)
		}
		body, _ := r.Body(s.outline, f) // it was read before, without an error
		return body
	})
	s.diags = append(found, s.diags...)
	return found.Err() == nil
}
