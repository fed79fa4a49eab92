package sass

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// A Reader reads the texts that [Parse] reads, function by function: one function is in memory
// at a time, whatever the size of the text.
type Reader struct {
	// Want chooses functions by their names; nil means all. The lines of the others are
	// skipped, and have no errors.
	Want func(name string) bool
	// Item, if not nil, is called with each item of a wanted function when it has been read. The item is
	// valid until Item returns, and is not among the function's Items afterwards. If Item is nil, all items are kept; an
	// instruction that is kept takes several times the memory of its text.
	Item func(it *Item)

	in   io.Reader
	err  error  // of in; io.EOF at its end
	buf  []byte // the beginning of a line whose end has not been read
	text string // whole lines that have not been parsed yet
	p    parser

	// The section at hand is in one of the spaces. The section before it is in the other, and is
	// valid until the next line is read. The items of both share memory. That is safe: the first line of a function adds
	// no item, and when the second is read, the section before is no longer valid.
	spaces [2]space
	now    int // the index of the space of the section at hand
	items  []Item
	size   int  // of the section's lines, in bytes
	whole  bool // the last line that was read has its end
	ended  bool
}

// A Section is a part of a text: a function, from the line that announces it to the one
// that ends it, or lines that belong to no function.
type Section struct {
	Func   *Func    // nil for lines that belong to none; without items if it is not wanted
	Wanted bool     // false for a function that [Reader.Want] refuses; its Lines are nil
	Target string   // the architecture that the text has named before: "sm_80"; "" if none
	Line   int      // the number of the first line, from 1
	Lines  []string // as they are in the text, with their ends
}

// A space is memory for a section.
type space struct {
	section Section
	fn      Func
}

// blockSize is how many bytes are read at once. Lines that belong to no function make sections of about
// this size.
const blockSize = 256 << 10

// NewReader returns a Reader of a text. The name of the input is in errors.
func NewReader(name string, in io.Reader) *Reader {
	r := &Reader{in: in, p: parser{file: name, prog: new(Program)}}
	r.p.fresh = r.fresh
	r.spaces[0].section = Section{Wanted: true, Line: 1}
	return r
}

// Next returns the next section, which is valid until the next call. If all functions are wanted, the lines of all
// sections are those of the text, and the functions those
// of the Program that [Parse] returns. After the last section the error is [io.EOF].
//
// The error is a [diag.List] of the errors in the section, which then has the items that
// could be read. Any other error comes from the input, and ends it.
func (r *Reader) Next() (*Section, error) {
	if r == nil || r.in == nil { // the zero Reader
		return nil, io.EOF
	}
	for {
		line, ok := r.line()
		if !ok {
			return r.last()
		}
		was, target, n := r.p.cur, r.p.prog.Target, r.p.num
		var text string
		text, r.whole = strings.CutSuffix(line, "\n")
		r.p.next(text)
		if was != nil && r.p.cur == was {
			r.passOn(was)
		}
		var s *Section
		var err error
		switch {
		case r.p.cur != was:
			s, err = r.deliver(target)
			r.begin(n + 1)
		case was == nil && r.size > blockSize:
			s, err = r.deliver(target)
			r.begin(n + 1)
		}
		if at := &r.spaces[r.now].section; at.Wanted {
			at.Lines = append(at.Lines, line)
			r.size += len(line)
		}
		if s != nil {
			return s, err
		}
	}
}

// passOn calls Item with the items of the function at hand, and removes them. A
// label at the end stays: it may be the name of the next function.
func (r *Reader) passOn(f *Func) {
	n := len(f.Items)
	if n > 0 && f.Items[n-1].Kind == Label {
		n--
	}
	if r.Item == nil || n == 0 {
		return
	}
	r.p.passed, r.p.coded = true, r.p.coded || hasCode(f.Items[:n])
	r.pass(f, n)
}

// pass calls Item with the first n items of a function, and removes them.
func (r *Reader) pass(f *Func, n int) {
	for i := range f.Items[:n] {
		r.Item(&f.Items[i])
	}
	f.Items = append(f.Items[:0], f.Items[n:]...)
}

// fresh returns a new function in the other space.
func (r *Reader) fresh() *Func {
	if was := r.spaces[r.now].section.Func; was != nil {
		r.items = was.Items
	}
	next := &r.spaces[1-r.now]
	next.fn = Func{Items: r.items[:0]}
	return &next.fn
}

// begin begins a section in the other space, with the line of that number.
func (r *Reader) begin(line int) {
	r.now = 1 - r.now
	at := &r.spaces[r.now].section
	clear(at.Lines)
	*at = Section{Func: r.p.cur, Wanted: true, Line: line, Lines: at.Lines[:0]}
	if at.Func != nil && r.Want != nil {
		at.Wanted = r.Want(at.Func.Name)
	}
	r.p.skip = !at.Wanted
	r.size = 0
}

// last returns the last section, and then the error of the input.
func (r *Reader) last() (*Section, error) {
	if !r.ended {
		r.ended = true
		if r.whole { // the input ends at the beginning of a line, as in Parse
			r.p.num++
		}
		r.p.end()
		if s, err := r.deliver(r.p.prog.Target); s != nil {
			return s, err
		}
	}
	return nil, r.err
}

// deliver returns the section at hand with its errors; nil if it has no lines, no function and no errors.
func (r *Reader) deliver(target string) (*Section, error) {
	at := &r.spaces[r.now].section
	at.Target = target
	if at.Func != nil && r.Item != nil {
		r.pass(at.Func, len(at.Func.Items))
	}
	if at.Func == nil && len(at.Lines) == 0 && r.p.list == nil {
		return nil, nil
	}
	list := r.p.list
	r.p.list = nil
	if !at.Wanted {
		at.Lines = nil
	}
	if list == nil {
		return at, nil
	}
	return at, list
}

// line returns the next line with its end. It is false after the last one.
func (r *Reader) line() (string, bool) {
	for r.text == "" {
		if r.err != nil {
			return "", false
		}
		r.fill()
	}
	end := strings.IndexByte(r.text, '\n') + 1
	if end == 0 {
		end = len(r.text)
	}
	line := r.text[:end]
	r.text = r.text[end:]
	return line, true
}

// fill reads until there is a whole line, or the end of the input.
func (r *Reader) fill() {
	for empty := 0; ; {
		start := len(r.buf)
		r.buf = slices.Grow(r.buf, blockSize)
		n, err := r.in.Read(r.buf[start:cap(r.buf)])
		r.buf = r.buf[:start+n]
		if empty++; n > 0 {
			empty = 0
		}
		if err == nil && empty == 100 {
			err = io.ErrNoProgress
		}
		end := bytes.LastIndexByte(r.buf[start:], '\n') + 1
		switch {
		case err != nil:
			r.err = err
			r.text, r.buf = string(r.buf), nil
			return
		case end > 0:
			end += start
			r.text = string(r.buf[:end])
			r.buf = r.buf[:copy(r.buf, r.buf[end:])]
			return
		}
	}
}
