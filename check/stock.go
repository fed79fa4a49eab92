package check

import (
	"sync"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// A stock is the memory that a checker leaves to the next: to lower small modules allocates
// 6 % less with it. It holds nothing of the module that was checked.
type stock struct {
	globals  map[string]*global // what names of the module mean so far
	order    []*global          // the functions among them, in order
	marked   []*global          // those that reach has marked
	heads    room[global]       // for them
	calls    room[*global]      // for what they call
	room     *function          // for the one whose body is read; nil before the first
	operands []*resolved.Symbol // what those of a call mean, results first; nil for what is not declared and no name
	specs    []*ptx.Spec        // of the registers of an access; nil for what is none
	largest  int                // statements, or names, of the largest body
}

// checkers are those that are done: they hold nothing but their stock.
var checkers = sync.Pool{New: func() any { return new(checker) }}

// reset forgets what names mean.
func (s *stock) reset() {
	clear(s.globals)
	s.order = s.order[:0]
	s.heads.reset()
	s.calls.reset()
}

// The stock of a checker is not kept from so many names of the module on, or of statements
// or names of a body, or operands of a call: to clear what held them takes the time of the
// largest that it held, for each small module behind a large one, and the memory would
// never be given back.
const (
	manyGlobals    = 1 << 10
	manyStatements = 1 << 12
)

// large reports whether a stock is not worth keeping.
func (s *stock) large() bool {
	return len(s.globals) > manyGlobals || max(s.largest, cap(s.operands), cap(s.specs)) > manyStatements
}

// forget leaves c nothing but its stock.
func (c *checker) forget() {
	s := c.stock
	*c = checker{}
	if s.large() {
		return
	}
	clear(s.order)
	clear(s.marked)
	s.heads.drop()
	s.calls.drop()
	s.reset()
	clear(s.operands[:cap(s.operands)])
	clear(s.specs[:cap(s.specs)])
	s.operands, s.specs, s.marked = s.operands[:0], s.specs[:0], s.marked[:0]
	if fn := s.room; fn != nil {
		fn.Func, fn.g, fn.place.body = nil, nil, nil
		fn.plain.drop()
		fn.taint = taint{}
		clear(fn.labels[:cap(fn.labels)])
		clear(fn.lists[:cap(fn.lists)])
	}
	c.stock = s
}
