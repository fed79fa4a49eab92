package lower

import (
	"cmp"
	"io"
	"slices"
	"sync"

	"github.com/ptxabi/ptxabi/internal/arena"
)

// A Spool is a file, as an [os.File] is one.
type Spool interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
}

// parts is text in parts, each of partSize bytes at most or of one function that is
// larger. The last one is written to memory that the next text takes again. Those that are
// full go to a spool, if there is one and they are more than limit bytes together.
type parts struct {
	list [][]byte // those that are full, after those in the spool
	size int      // of the list, in bytes
	last *[]byte

	open  func() (Spool, error) // nil for no spool
	limit int
	spool Spool // nil where all parts are in memory
	sizes []int // of the parts in it
	end   int64 // of them all
	err   error // of the spool
}

const (
	partSize  = 1 << 18
	spoolSize = 8 << 20
)

// lastParts is memory for last parts. A text that is smaller than a part takes no
// more than its own size with it, instead of a third more.
var lastParts = sync.Pool{New: func() any { return new([]byte) }}

func newParts(o *Options) *parts {
	return &parts{open: o.Spool, limit: cmp.Or(o.spoolFrom, spoolSize)}
}

// begin takes memory for the last part.
func (p *parts) begin() {
	if p.last == nil {
		p.last = lastParts.Get().(*[]byte)
	}
}

// count returns how many parts there are before the last one.
func (p *parts) count() int { return len(p.sizes) + len(p.list) }

func (p *parts) add(text []byte) {
	if n := len(*p.last); n > 0 && n+len(text) > partSize {
		p.next(len(text))
	}
	*p.last = append(*p.last, text...)
}

// free returns the last part, to which a text of about size bytes is to be appended, or
// a new one if it is certain not to fit.
func (p *parts) free(size int) []byte {
	if n := len(*p.last); n > 0 && n+size > partSize {
		p.next(size)
	}
	*p.last = slices.Grow(*p.last, size)
	return *p.last
}

// appended takes what free returned, with the text after it. It returns where that
// text begins in the part that it now is in.
func (p *parts) appended(text []byte) int {
	n := len(*p.last)
	if n == 0 || len(text) <= partSize {
		*p.last = text
		return n
	}
	p.next(len(text) - n)
	*p.last = append(*p.last, text[n:]...) // which may be moved within its memory
	return 0
}

// next begins another part, for n bytes.
func (p *parts) next(n int) {
	p.list = append(p.list, *p.last)
	p.size += len(*p.last)
	*p.last = nil
	if p.spools(0) {
		*p.last = p.unload()
	}
	if cap(*p.last) < n {
		*p.last = make([]byte, 0, max(partSize, n))
	}
}

// spools reports whether the list goes to a spool now, with so many bytes more.
func (p *parts) spools(more int) bool {
	if p.spool == nil && p.open != nil && p.err == nil && p.size+more > p.limit {
		if p.spool, p.err = p.open(); p.spool == nil {
			p.open = nil
		}
	}
	return p.spool != nil
}

// unload moves the list to the spool, and returns memory of a part that was there.
func (p *parts) unload() []byte {
	for _, text := range p.list {
		if p.err == nil {
			_, p.err = p.spool.WriteAt(text, p.end)
		}
		p.sizes = append(p.sizes, len(text))
		p.end += int64(len(text))
	}
	memory := p.list[len(p.list)-1][:0]
	clear(p.list)
	p.list, p.size = p.list[:0], 0
	return memory
}

// rewrite gives each part, by number, to a function, which returns what it is to be: no more
// than it was.
func (p *parts) rewrite(change func(i int, text []byte) []byte) {
	var memory []byte
	from, to := int64(0), int64(0)
	for i, n := range p.sizes {
		if p.err != nil {
			return
		}
		memory = arena.Resized(memory, n)
		if _, p.err = p.spool.ReadAt(memory, from); p.err != nil {
			return
		}
		text := change(i, memory)
		if to < from || len(text) < n {
			_, p.err = p.spool.WriteAt(text, to)
		}
		p.sizes[i] = len(text)
		from, to = from+int64(n), to+int64(len(text))
	}
	if p.end = to; p.spool != nil && p.err == nil {
		p.err = p.spool.Truncate(to)
	}
	for i := range p.list {
		p.list[i] = change(len(p.sizes)+i, p.list[i])
	}
	*p.last = change(p.count(), *p.last)
}

// reset drops all parts.
func (p *parts) reset() {
	p.list, p.size, p.sizes, p.end = nil, 0, nil, 0
	if p.last != nil {
		*p.last = (*p.last)[:0]
	}
	if p.spool != nil && p.err == nil {
		p.err = p.spool.Truncate(0)
	}
}

// all returns the parts, none if they are in the spool. Nothing is added after them.
func (p *parts) all() ([][]byte, error) {
	list, last := p.list, p.last
	if p.spools(len(*last)) {
		p.list = append(p.list, *last)
		*last, list = p.unload(), nil
	} else if cap(*last) > 2*partSize { // of a function too large to keep memory for
		list, last = append(list, *last), nil
	} else {
		list = append(list, slices.Clone(*last))
	}
	p.list, p.last = nil, nil
	if last != nil {
		*last = (*last)[:0]
		lastParts.Put(last)
	}
	if p.err != nil {
		return nil, p.err
	}
	return list, nil
}
