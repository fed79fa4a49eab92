package lir

import (
	"strconv"

	"github.com/ptxabi/ptxabi/sass"
)

// A Note is the comment after an instruction: bytes of a value, or a text. The
// zero Note is none.
type Note struct {
	Name       string
	First, End int32         // the bytes of the value; End is Text for a text, and First then the size of a frame
	Kind       sass.StepKind // of a text: the step that the instruction is
}

// Text is the end of notes that name no bytes.
const Text = -1

// Bytes is a note of the bytes [first, end) of a value.
func Bytes(name string, first, end int) Note {
	return Note{Name: name, First: int32(first), End: int32(end)}
}

// Say is a note that is a text; no note if it is empty.
func Say(text string) Note { return Note{Name: text, End: Text} }

// Does is a note with a text that also tells the step that an instruction is, and the size of the frame that it makes or
// leaves, in bytes.
func Does(kind sass.StepKind, text string, size int) Note {
	return Note{Name: text, First: int32(size), End: Text, Kind: kind}
}

// step returns the step that an instruction with a note is.
func (n Note) step() sass.Step {
	switch {
	case n.End == Text && n.Kind == sass.Describes:
		return sass.Step{Kind: n.Kind, Name: n.Name}
	case n.End == Text:
		return sass.Step{Kind: n.Kind, Size: int(n.First)}
	case n.Name == "":
		return sass.Step{}
	}
	return sass.Step{Kind: sass.Moves, Name: n.Name, First: int(n.First), End: int(n.End)}
}

// Follows reports whether the bytes of n follow those of m in the same value.
func (n Note) Follows(m Note) bool { return n.Name == m.Name && n.First == m.End }

// Append appends a note: "x[0:4]".
func (n Note) Append(dst []byte) []byte {
	dst = append(dst, n.Name...)
	if n.End == Text || n.Name == "" {
		return dst
	}
	return appendSpan(dst, n.First, n.End)
}

// appendSpan appends bytes: "[0:4]".
func appendSpan(dst []byte, first, end int32) []byte {
	dst = append(strconv.AppendInt(append(dst, '['), int64(first), 10), ':')
	return append(strconv.AppendInt(dst, int64(end), 10), ']')
}
