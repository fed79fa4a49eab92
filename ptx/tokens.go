package ptx

import "strings"

// AppendTokens appends PTX text with every run of blanks, line ends and
// comments turned into one blank, and none at its ends.
func AppendTokens(dst []byte, text string) []byte {
	for i, gap, some := 0, false, false; i < len(text); {
		bad := class[text[i]] == cBad && text[i] != '#' // as free text may have
		n := BlankLen(text[i:])
		if n > 0 && !bad {
			i += n
			gap = true
			continue
		}
		if gap && some {
			dst = append(dst, ' ')
		}
		gap, some = false, true
		if text[i] == '"' {
			n, _ = StringLen(text[i:])
		} else if n = 1; !bad {
			for i+n < len(text) && text[i+n] != '"' && text[i+n] != '/' && text[i+n] != '#' && !blank(text[i+n]) {
				n++
			}
		}
		dst = append(dst, text[i:i+n]...)
		i += n
	}
	return dst
}

func blank(c byte) bool { return class[c] == cSpace || c == '\n' || class[c] == cBad && c != '#' }

// BlankLen returns the length of the blank, the line end, the comment, the line marker or the byte of no token that text, which is not
// empty, begins with; 0 if it begins with a token.
func BlankLen(text string) int {
	if text == "" {
		return 0
	}
	if blank(text[0]) {
		return 1
	}
	if text[0] == '#' {
		return markerLen(text)
	}
	if text[0] != '/' || len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '/':
		return indexFrom(text, 0, '\n')
	case '*':
		if n := strings.Index(text[2:], "*/"); n >= 0 {
			return n + 4
		}
		return len(text)
	}
	return 0
}

// StringLen returns the length of the string that text begins with, and whether it is closed. A backslash in it stands for
// itself (measured with 11.8, 12.4 and 13.5). It may
// go over several lines if no semicolon and no brace stands in those after the first; one that is not closed ends before
// the first semicolon or brace, or the end of its first line.
func StringLen(text string) (n int, closed bool) {
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
