package ptx

import (
	"sort"
	"strings"
)

// Find returns the start and the end of the first want in the text of the module from pos on, in
// the same statement: before the next semicolon or brace. It skips comments and strings, and does
// not match parts of names and numbers. It returns zero positions if there is none, and for a
// module that was built by hand.
func (m *Module) Find(pos Pos, want string) (from, to Pos) {
	if m == nil || m.text == nil || want == "" {
		return Pos{}, Pos{}
	}
	off := m.text.offset(pos)
	if off < 0 {
		return Pos{}, Pos{}
	}
	rest := m.text.src[off:]
	word := func(i int) bool { return 0 <= i && i < len(rest) && class[rest[i]] == cIdent }
	for i := 0; i < len(rest); {
		if end := i + len(want); strings.HasPrefix(rest[i:], want) && !(word(i-1) && word(i)) && !(word(end-1) && word(end)) {
			return advance(pos, rest[:i]), advance(pos, rest[:end])
		}
		switch c := rest[i]; {
		case c == ';' || c == '{' || c == '}':
			return Pos{}, Pos{}
		case c == '"':
			i = afterString(rest, i)
		default:
			i = max(i+1, afterComment(rest, i))
		}
	}
	return Pos{}, Pos{}
}

// afterString returns the index after the string that begins at i.
func afterString(text string, i int) int {
	for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// afterComment returns the index after the comment that begins at i, or i where none does.
func afterComment(text string, i int) int {
	switch {
	case strings.HasPrefix(text[i:], "//"):
		return indexFrom(text, i, '\n')
	case strings.HasPrefix(text[i:], "/*"):
		if n := strings.Index(text[i+2:], "*/"); n >= 0 {
			return i + 2 + n + 2
		}
		return len(text)
	}
	return i
}

// Skip returns the position of the next token at pos or after it, past blanks, line ends
// and comments. It returns the zero Pos for a position outside of the text, and for a
// module that was built by hand.
func (m *Module) Skip(pos Pos) Pos {
	off := -1
	if m != nil && m.text != nil {
		off = m.text.offset(pos)
	}
	if off < 0 {
		return Pos{}
	}
	rest, i := m.text.src[off:], 0
	for i < len(rest) {
		if class[rest[i]] == cSpace || rest[i] == '\n' {
			i++
		} else if after := afterComment(rest, i); after > i {
			i = after
		} else {
			break
		}
	}
	return advance(pos, rest[:i])
}

// Offsets returns where two positions are in [Module.Source]; ok is false if one is not
// in the text, or the second is before the first.
func (m *Module) Offsets(from, to Pos) (first, end int, ok bool) {
	if m == nil || m.text == nil {
		return 0, 0, false
	}
	first, end = m.text.offset(from), m.text.offset(to)
	return first, end, 0 <= first && first <= end
}

// FuncAt returns the function in whose declaration or definition a position is, and whether it is in the body; nil if
// there is none. In the body is its closing brace too, or where one is missing, the place of what begins there.
func (m *Module) FuncAt(pos Pos) (f *Func, body bool) {
	i := sort.Search(len(m.Items), func(i int) bool { at, _ := m.Items[i].Span(); return pos.Before(at) })
	for i--; i >= 0; i-- {
		before, ok := m.Items[i].(*Func)
		switch {
		case !ok:
		case before.HasBody && before.BodyPos.Before(pos) && !before.EndPos.Before(pos):
			return before, true
		case f == nil && (before.HasBody && !before.BodyPos.Before(pos) || !before.HasBody && !before.EndPos.Before(pos)):
			if f = before; f.Pos != pos {
				return f, false
			}
		case before.HasBody:
			return f, false
		}
	}
	return f, false
}
