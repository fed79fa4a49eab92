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
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/lower/internal/sel"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// labelsAtEntry returns how many labels begin makes.
func (l *lowerer) labelsAtEntry() int {
	if l.entryCode != nil {
		return 1
	}
	return 0
}

// bodyByBody is Text for a module whose bodies are read one by one. It reports false, and
// has said nothing, where package check finds something wrong with the module, or where a
// body says something about the whole of it: then the module has to be read as a whole. So
// it is with Options.Func, Homes and Slots. What has no lowering is the error.
func bodyByBody(o *ptx.Outline, t *abi.Target, opts Options, text *parts) (ok bool, err error) {
	if isNone(t) {
		return false, errors.New("lower: no target")
	}
	if o == nil {
		return false, errors.New("lower: no module")
	}
	if opts.Func != "" || opts.alloc() {
		return false, nil
	}
	walk := checking.New(o)
	if !walk.Outside() {
		// What heads say against each other goes before: bodies are lowered that
		// stand before the one that is wrong.
		return false, nil
	}
	unit, err := opts.unit(o.Module(), t, walk.Names())
	if err != nil {
		return false, err
	}
	l := &lowerer{Unit: unit, opts: opts, textOnly: true, outline: o, entryCode: sel.EntryCode(t)}
	l.Apart = true
	for _, it := range l.M.Items {
		if f, ok := it.(*ptx.Func); ok && f.HasBody {
			l.list = append(l.list, f)
		}
	}
	s := &stream{lowerer: l, walk: walk, text: text}
	s.run()
	if s.whole || !s.checked() {
		return false, nil
	}
	if err := l.finish(); err != nil {
		return true, err
	}
	s.amend()
	return true, nil
}

// A stream lowers the functions of a module. Each goroutine takes the next ones and reads
// their bodies, or has them in the tree. It waits until those before have been checked,
// checks them, lowers them, and leaves the text, which is handed over when those before
// have been. It does not wait for that: functions are of all sizes.
type stream struct {
	*lowerer
	// alone says that one goroutine does it all: what it has made of a function stands
	// in the text, and the next begins after it.
	alone bool
	walk  checking.Walk // nil where the module has been checked as a whole
	text  *parts        // nil where the program is wanted
	funcs []*sass.Func  // by function, where the program is wanted; else nil

	mu    sync.Mutex // of all that follows
	moved sync.Cond  // toCheck or whole is another
	turns
	handed
}

// turns say which function is next.
type turns struct {
	next    int  // to be read
	toCheck int  // to be checked
	labels  int  // that calls of the functions checked so far make
	whole   bool // the module has to be read as a whole
	miscast bool // a function has made other labels than those after it count on
	failed  any  // what a goroutine panicked with
}

// handed is what is handed over of functions.
type handed struct {
	toEmit  int             // function to be handed over next
	writing bool            // a goroutine hands over
	done    []lowered       // by function, from toEmit on
	spare   [][]byte        // memory for their texts
	takenIn map[string]bool // functions whose address bodies take
	notes   []callNote
}

// all lowers the functions of a module that is there as a whole.
func (s *stream) all() {
	found := slices.Clone(s.diags)
	s.run()
	if s.miscast && s.diags.Err() == nil {
		*s = stream{lowerer: s.lowerer, funcs: s.funcs, text: s.text}
		if s.text != nil {
			s.text.reset()
		}
		s.opts.Workers, s.diags = 1, found
		s.run()
	}
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

// run lowers all functions.
func (s *stream) run() {
	s.moved.L = &s.mu
	if s.textOnly {
		s.text.begin()
		s.text.add((&sass.Program{Target: s.T.Name}).AppendText(nil))
	}
	n := s.opts.Workers
	if n == 0 && !s.opts.alloc() {
		size := 0
		for _, f := range s.list {
			size += s.sizeOf(f)
		}
		n = min(runtime.GOMAXPROCS(0), 1+size/textSize)
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
	if s.failed != nil {
		panic(s.failed)
	}
}

// sizeOf returns how large the body of a function is, in bytes of text.
func (s *stream) sizeOf(f *ptx.Func) int {
	if s.outline != nil {
		return len(s.outline.BodyText(f))
	}
	return 32 * len(f.Body)
}

// Several goroutines take turns of turnFuncs functions, or of fewer that are turnSize bytes
// together: to wait for one's turn to be checked takes as long as lowering a function.
const (
	turnFuncs = 8
	turnSize  = 32 << 10
)

// A worker is the memory of a goroutine that lowers functions of a stream.
type worker struct {
	p    pipeline
	turn [turnFuncs]inTurn
	// largest is how many statements, names or arguments the largest function had, of
	// each of which there is a list.
	largest int
}

// hugeBody is from how many operands of calls and accesses on what the check of a body has left is
// collected before it is lowered: there is as much of it as of the text three times.
const hugeBody = 1 << 19

// An inTurn is a function that a goroutine has taken.
type inTurn struct {
	r           *ptx.Reader
	f           ptx.Func // with its body, unlike those of the list
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
	w.p.use(s.lowerer)
	if s.textOnly {
		w.p.handOn = s.handOn
	}
	buffers := w.p.printed
	s.lower(w)
	if s.alone { // it was a part of the text
		w.p.printed = buffers
	}
	w.p.forget()
	for i := range w.turn {
		w.turn[i].f, w.turn[i].body = ptx.Func{}, nil
	}
	if w.largest < place.ManyStatements && cap(w.p.printed) <= 2*partSize {
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
			if t.body.Refs() >= hugeBody {
				runtime.GC()
			}
		}
		for k := range turn {
			ok := s.lowerOne(&w.p, i+k, &turn[k])
			w.largest = max(w.largest, len(turn[k].f.Body), turn[k].body.Numbers(), len(w.p.placer.CallVars))
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
		size += s.sizeOf(s.list[s.next])
		s.next++
		if s.alone {
			return first, 1
		}
	}
	return first, n
}

// read reads the body of a function, and resolves it.
func (s *stream) read(t *inTurn, f *ptx.Func) (ok bool) {
	if s.outline == nil {
		t.body = resolved.New(f, f.Body, resolve.ParamsInBody(s.M, f))
		return true
	}
	if t.r == nil || t.kept {
		t.r, t.kept = new(ptx.Reader), false
	}
	t.f = *f
	if t.f.Body, ok = t.r.Body(s.outline, f); ok {
		t.body = resolved.New(&t.f, t.f.Body, resolve.ParamsInBody(s.M, f))
	}
	return ok
}

// lowerOne lowers function i and hands it over. It reports false where it has made other
// labels than those that functions after it count on, and the module is read body by body.
func (s *stream) lowerOne(p *pipeline, i int, t *inTurn) bool {
	p.labels, p.index = t.first, i
	if s.textOnly {
		// What comes out is mostly larger than the body by less than half.
		if size := 3 * s.sizeOf(s.list[i]) / 2; s.alone {
			p.printed = s.text.free(min(size, partSize))
		} else {
			p.printed = slices.Grow(p.printed, size)
		}
	}
	if f := p.function(t.body); s.funcs != nil {
		kept := f // f itself stays where it is, which takes no memory
		s.funcs[i] = &kept
	}
	if s.alone {
		s.labels = p.labels
	} else if p.labels != t.first+t.made {
		if s.walk != nil {
			return false
		}
		s.mu.Lock()
		s.miscast = true
		s.mu.Unlock()
	}
	s.emit(i, p)
	return true
}

// giveUp says that the module has to be read as a whole.
func (s *stream) giveUp() {
	s.mu.Lock()
	s.whole = true
	s.moved.Broadcast()
	s.mu.Unlock()
}

// labelsOf returns how many labels a call makes.
func (l *lowerer) labelsOf(c *ptx.Call) int {
	n := 0
	if c.Guard != nil {
		n++
	}
	if l.T.Regs.HasRetAddr() || c.Proto.Kind != ptx.KindNone && l.T.Spelling.PreRet != "" {
		n++
	}
	return n
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
// where others have to know before it is lowered, how many it makes, and reports whether
// the check holds nodes of the body.
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
	if s.walk == nil {
		ok = true
	} else if kept, ok = s.walk.Body(s.list[i], b); !ok {
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

// emit hands over what p has made of function i, and of those after it that are
// done, or leaves it until those before are.
func (s *stream) emit(i int, p *pipeline) {
	s.mu.Lock()
	if s.alone {
		if s.textOnly {
			s.put(p)
		}
		s.diags = append(s.diags, p.Reporter.Diags...)
	} else {
		for len(s.done) <= i {
			s.done = append(s.done, lowered{})
		}
		s.done[i] = lowered{true, p.printed, slices.Clone(p.sel.Code.Late), p.Reporter.Diags}
		p.printed = nil
		if n := len(s.spare); n > 0 {
			p.printed, s.spare = s.spare[n-1], s.spare[:n-1]
		}
	}
	if taken := p.placer.TakenHere; len(taken) > 0 {
		if s.takenIn == nil {
			s.takenIn = make(map[string]bool)
		}
		maps.Copy(s.takenIn, taken)
		clear(taken)
	}
	p.printed, p.Reporter.Diags = p.printed[:0], nil
	if !s.writing {
		s.handOver()
	}
	s.mu.Unlock()
}

// put ends the text of the module with what has been printed of the only function at
// hand.
func (s *stream) put(p *pipeline) {
	before := len(*s.text.last)
	s.placed(p.sel.Code.Late, s.text.appended(p.printed)-before)
}

// handOn hands over what has been printed of a long function, if none before it is still to
// come.
func (s *stream) handOn(p *pipeline) {
	if s.alone {
		s.put(p)
		p.printed = s.text.free(partSize)
	} else {
		s.mu.Lock()
		next := s.toEmit == p.index && !s.writing
		if next {
			s.write(p.printed, p.sel.Code.Late)
		}
		s.mu.Unlock()
		if !next {
			return
		}
		p.printed = p.printed[:0]
	}
	p.sel.Code.Placed()
}

// write ends the text of the module with some of a function. Others go on while it does:
// the lock is not held.
func (s *stream) write(text []byte, notes []lir.Late) {
	s.writing = true
	s.mu.Unlock()
	if s.textOnly {
		s.text.add(text)
		s.placed(notes, len(*s.text.last)-len(text))
	}
	s.mu.Lock()
	s.writing = false
}

// handOver hands over the functions that are done, up to the first that is not.
func (s *stream) handOver() {
	for s.toEmit < len(s.done) && s.done[s.toEmit].ok {
		d := s.done[s.toEmit]
		s.done[s.toEmit] = lowered{}
		s.write(d.text, d.notes)
		s.toEmit++
		s.diags = append(s.diags, d.diags...)
		if cap(d.text) <= partSize {
			s.spare = append(s.spare, d.text[:0])
		}
	}
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
