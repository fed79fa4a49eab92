package ptx

import "strings"

// Find returns where want begins and ends that stands first in the text of the
// module from pos on, in the same statement: before the next semicolon or brace.
// It returns zero positions where there is none, and for a module that was built
// by hand.
func (m *Module) Find(pos Pos, want string) (from, to Pos) {
	if m == nil || m.text == nil || want == "" {
		return Pos{}, Pos{}
	}
	off := m.text.offset(pos)
	if off < 0 {
		return Pos{}, Pos{}
	}
	rest := m.text.src[off:]
	if end := strings.IndexAny(rest, ";{}"); end >= 0 {
		rest = rest[:end+1]
	}
	at := strings.Index(rest, want)
	if at < 0 {
		return Pos{}, Pos{}
	}
	return m.advance(pos, rest[:at]), m.advance(pos, rest[:at+len(want)])
}

// advance returns the position after some text that begins at pos.
func (m *Module) advance(pos Pos, text string) Pos {
	if n := strings.Count(text, "\n"); n > 0 {
		return Pos{Line: pos.Line + uint32(n), Col: uint32(len(text) - strings.LastIndexByte(text, '\n'))}
	}
	return Pos{Line: pos.Line, Col: pos.Col + uint32(len(text))}
}

// FindBack returns where want begins that ends, but for blanks and line ends, at
// pos. It returns the zero position where something else stands there, and for a
// module that was built by hand.
func (m *Module) FindBack(pos Pos, want string) Pos {
	if m == nil || m.text == nil || want == "" {
		return Pos{}
	}
	off := m.text.offset(pos)
	if off < 0 {
		return Pos{}
	}
	before := strings.TrimRight(m.text.src[:off], " \t\r\n")
	if !strings.HasSuffix(before, want) {
		return Pos{}
	}
	return m.text.pos(len(before) - len(want))
}
