// Package lex has the bytes of PTX text: their classes, and what blanks and strings are.
package lex

import "strings"

// Byte classes. Every byte of the text is looked up here, so the table is
// what the speed of the package rests on. The classes up to Dot are those that
// opcodes are made of, and those from Space on are what may stand between tokens.
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
	Space                // blank, tab, carriage return, form feed, vertical tab
	Line                 // line feed
	Slash                // may begin a comment
	Bad                  // no token holds it outside strings and comments
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
	for _, c := range " \t\r\f\x1a" { // the last one ends files of CP/M; assemblers pass over it
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

// InName reports whether names and numbers hold a byte.
func InName(c byte) bool { return Class[c] == Ident }

// IsBlank reports whether a byte may stand between tokens by itself.
func IsBlank(c byte) bool { return Class[c] == Space || c == '\n' || Class[c] == Bad && c != '#' }

// Blank returns the length of the blank, the line end, the comment, the line marker or the byte of no token that text, which is not
// empty, begins with; 0 if it begins with a token.
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

// String returns the length of the string that text begins with, and whether it is closed. A backslash in it stands for
// itself (measured with 11.8, 12.4 and 13.5). It may
// go over several lines if no semicolon and no brace stands in those after the first; one that is not closed ends before
// the first semicolon or brace, or the end of its first line.
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

// Marker returns the length of the line marker such as `# 1 "a.cu"` or `#line 1 "a.cu" 2` that text, which begins
// with '#', begins with; 0 if that is none. The string may go over several lines.
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

// line returns the length of the line that text begins with, without its end.
func line(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}
