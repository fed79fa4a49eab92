package lir

import (
	"encoding/binary"
	"strconv"
)

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
	return appendSpan(dst, n.First, n.End)
}

// appendSpan appends bytes: "[0:4]". Those of two digits at most are put together in one word.
func appendSpan(dst []byte, first, end int32) []byte {
	if uint32(first) >= 100 || uint32(end) >= 100 {
		dst = append(strconv.AppendInt(append(dst, '['), int64(first), 10), ':')
		return append(strconv.AppendInt(dst, int64(end), 10), ']')
	}
	a, aBits := digits(uint32(first))
	b, bBits := digits(uint32(end))
	text := '[' | a<<8 | ':'<<(8+aBits) | b<<(16+aBits) | ']'<<(16+aBits+bBits)
	n := len(dst) + int(24+aBits+bBits)/8
	return binary.LittleEndian.AppendUint64(dst, text)[:n]
}

// digits returns the digits of a number below 100, the first one lowest, and how many bits
// they are.
func digits(n uint32) (text uint64, bits uint) {
	if n < 10 {
		return uint64('0' + n), 8
	}
	return uint64('0'+n/10) | uint64('0'+n%10)<<8, 16
}
