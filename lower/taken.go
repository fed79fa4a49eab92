package lower

import (
	"slices"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/sel"
	"github.com/ptxabi/ptxabi/ptx"
)

// addressTaken reports whether the module takes the address of a function: by a
// mov, in an initialiser, or in a list of call targets. Of bodies that are read one by
// one it knows nothing.
func (l *lowerer) addressTaken(name string) bool {
	l.findTaken.Do(func() {
		l.taken = make(map[string]bool)
		for _, it := range l.M.Items {
			switch it := it.(type) {
			case *ptx.Decl:
				l.TakenBy(it, l.taken)
			case *ptx.Func:
				for _, s := range it.Body {
					l.TakenBy(s, l.taken)
				}
			}
		}
	})
	return l.taken[name]
}

// To look for what takes addresses in the text of all bodies before the first call is
// lowered took a thirtieth of the time of it all. Where bodies are read one by one the
// first walk over each takes note instead, and notes of calls that turn out wrong are
// fixed in the end.

// A callNote is the note of a call, where another one takes its place if the address of
// the callee is taken in a body that has not been read yet.
type callNote struct {
	callee     string
	at         int // where it begins in the part of a number
	part, size int32
}

// placed takes the notes of calls of a function whose text has been added to that of
// the module. What they count from is byte first of the last part.
func (s *stream) placed(notes []lir.Late, first int) {
	part := int32(s.text.count())
	for _, n := range notes {
		s.notes = append(s.notes, callNote{n.Callee, first + n.At, part, int32(n.Size)})
	}
}

// amend fixes the notes of calls, now that all bodies have been read. The one that takes
// the place of others is shorter than they, so that text moves to the front.
func (s *stream) amend() {
	notes := slices.DeleteFunc(s.notes, func(n callNote) bool { return !s.takenIn[n.callee] })
	if len(notes) == 0 {
		return
	}
	s.text.rewrite(func(i int, old []byte) []byte {
		text, from := old[:0], 0
		for ; len(notes) > 0 && int(notes[0].part) == i; notes = notes[1:] {
			n := &notes[0]
			text = append(append(text, old[from:n.at]...), sel.BoundAddress...)
			from = n.at + int(n.size)
		}
		if from == 0 {
			return old
		}
		return append(text, old[from:]...)
	})
}
