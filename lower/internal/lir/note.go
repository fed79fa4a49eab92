package lir

import "strconv"

// A Note is what the comment after an instruction says: bytes of a value, or a text. The
// zero Note is none.
type Note struct {
	Name       string
	First, End int32 // End is Text for a text without bytes
}

// Text is the end of notes that name no bytes.
const Text = -1

// Bytes is a note of the bytes [first, end) of a value.
func Bytes(name string, first, end int) Note { return Note{name, int32(first), int32(end)} }

// Say is a note that is a text; none if it is empty.
func Say(text string) Note { return Note{Name: text, End: Text} }

// Follows reports whether n are the bytes of a value that follow those of m.
func (n Note) Follows(m Note) bool { return n.Name == m.Name && n.First == m.End }

// Append appends a note: "x[0:4]".
func (n Note) Append(dst []byte) []byte {
	dst = append(dst, n.Name...)
	if n.End == Text || n.Name == "" {
		return dst
	}
	dst = append(appendSmall(append(dst, '['), n.First), ':')
	return append(appendSmall(dst, n.End), ']')
}

// appendSmall appends a number that is mostly small, in a third of the time of
// AppendInt.
func appendSmall(dst []byte, n int32) []byte {
	switch {
	case 0 <= n && n < 10:
		return append(dst, byte('0'+n))
	case 10 <= n && n < 100:
		return append(dst, byte('0'+n/10), byte('0'+n%10))
	}
	return strconv.AppendInt(dst, int64(n), 10)
}
