package lir

import (
	"strconv"

	"github.com/ptxabi/ptxabi/sass"
)

// A Note is what the comment after an instruction says: bytes of a value, or a text. The
// zero Note is none.
type Note struct {
	Name       string
	First, End int32         // End is Text for a text without bytes; First is then the size of a frame
	Kind       sass.StepKind // of a text: what the instruction does
}

// Text is the end of notes that name no bytes.
const Text = -1

// Bytes is a note of the bytes [first, end) of a value.
func Bytes(name string, first, end int) Note {
	return Note{Name: name, First: int32(first), End: int32(end)}
}

// Say is a note that is a text; none if it is empty.
func Say(text string) Note { return Note{Name: text, End: Text} }

// Does is a note of what an instruction does, with its text, and the size of the frame
// that it makes or leaves.
func Does(kind sass.StepKind, text string, size int) Note {
	return Note{Name: text, First: int32(size), End: Text, Kind: kind}
}

// step returns what a note says an instruction does.
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

// Follows reports whether n are the bytes of a value that follow those of m.
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
