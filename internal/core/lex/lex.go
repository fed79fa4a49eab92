// Package lex has the bytes of PTX text: their classes, and the forms of blanks, comments and strings.
package lex

import "strings"

// Byte classes. Their order matters: opcodes have bytes of the classes up to Dot, and bytes of the classes from Space on
// may stand between tokens.
const (
	Ident   uint8 = iota // letters, digits, _ and $
	Dot                  // .
	Percent              // %, which begins names
	Punct                // stands for itself
	Semi                 // ;
	Quote                // begins a string
	Open                 // ( [ {
	Close                // ) ] }
	At                   // @, which begins a statement
	Space                // blank, tab, carriage return, form feed, and 0x1a
	Line                 // line feed
	Slash                // may begin a comment
	Bad                  // no token has it, outside of strings and comments
)

// Class has the class of each byte.
var Class = func() (t [256]uint8) {
	for c := range t {
		t[c] = Bad
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = Ident, Ident
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = Ident
	}
	t['_'], t['$'] = Ident, Ident
	for _, c := range " \t\r\f\x1a" { // 0x1a ends files of CP/M; assemblers skip it
		t[c] = Space
	}
	t['\n'], t['.'], t['%'] = Line, Dot, Percent
	for _, c := range ",+-*<>=!~&|^:?" {
		t[c] = Punct
	}
	t['/'], t['"'], t[';'], t['@'] = Slash, Quote, Semi, At
	t['('], t['['], t['{'] = Open, Open, Open
	t[')'], t[']'], t['}'] = Close, Close, Close
	return t
}()

// InName reports whether names and numbers may have a byte.
func InName(c byte) bool { return Class[c] == Ident }

// IsBlank reports whether a byte may stand between tokens by itself.
func IsBlank(c byte) bool { return Class[c] == Space || c == '\n' || Class[c] == Bad && c != '#' }

// Blank returns the length of the blank, the line end, the comment, the line marker or the byte of no token at the beginning
// of text; 0 if text is empty or begins with a token.
func Blank(text string) int {
	if text == "" {
		return 0
	}
	if IsBlank(text[0]) {
		return 1
	}
	if text[0] == '#' {
		return Marker(text)
	}
	if text[0] != '/' || len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '/':
		return line(text)
	case '*':
		if n := strings.Index(text[2:], "*/"); n >= 0 {
			return n + 4
		}
		return len(text)
	}
	return 0
}

// String returns the length of the string at the beginning of text, and whether it is closed. A backslash in it stands for
// itself (measured with 11.8, 12.4 and 13.5). A string may
// have several lines, if those after the first have no semicolon and no brace before its end. One that is not closed ends
// before its first semicolon or brace, or at the end of its first line.
func String(text string) (n int, closed bool) {
	end, lines := 0, false
	for n = 1; n < len(text); n++ {
		switch c := text[n]; c {
		case '"':
			return n + 1, true
		case '\n', ';', '{', '}':
			if end == 0 {
				end = n
			}
			if lines && c != '\n' {
				return end, false
			}
			lines = lines || c == '\n'
		}
	}
	if end == 0 {
		end = n
	}
	return end, false
}

// Marker returns the length of the line marker, such as `# 1 "a.cu"` or `#line 1 "a.cu" 2`, at the beginning of text, whose
// first byte is '#'; 0 if there is none. The string may have several lines.
func Marker(text string) int {
	rest := strings.TrimLeft(text[1:], " \t")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "line"), " \t")
	number := strings.TrimLeft(rest, "0123456789")
	file := strings.TrimLeft(number, " \t")
	if len(number) == len(rest) || len(file) == len(number) || !strings.HasPrefix(file, "\"") {
		return 0
	}
	n, closed := String(file)
	rest = file[n:]
	last := rest[:line(rest)]
	if !closed || strings.Trim(last, " \t\r0123456789") != "" {
		return 0
	}
	return len(text) - len(rest) + len(last)
}

// line returns the length of the first line of text, without its end.
func line(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}
