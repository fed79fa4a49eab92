package llvmir

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/diag"
)

// A token is a word, a name with its mark (@f, %x, #0, !5, $c), a number, a string with its quotes, or one byte of punctuation.
type token struct {
	text string
	pos  diag.Pos
	end  int  // offset after it
	head bool // it begins a line
}

// name is a symbol's name, without mark and quotes, and without the byte that keeps LLVM from changing it.
func (t token) name() string {
	return strings.TrimPrefix(unquote(t.text[min(1, len(t.text)):]), "\x01")
}

// unquote decodes a string: \22 is a byte in hexadecimal.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' {
		return s
	}
	return escaped().ReplaceAllStringFunc(s[1:len(s)-1], func(e string) string {
		n, _ := strconv.ParseUint(e[1:], 16, 8)
		return string([]byte{byte(n)})
	})
}

var escaped = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\[0-9a-fA-F]{2}`) })

func word(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.$-+", c) >= 0 || c >= 0x80
}

// scan splits a text into tokens, without comments.
func scan(text string) []token {
	var all []token
	line, start := uint32(1), 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\n':
			line, start = line+1, i+1
			i++
			continue
		case c <= ' ':
			i++
			continue
		case c == ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		}
		at := i
		if strings.IndexByte("@%!#$", text[i]) >= 0 {
			i++
		}
		switch {
		case i < len(text) && text[i] == '"':
			for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
			}
			i = min(i+1, len(text))
		case i < len(text) && word(text[i]):
			for i < len(text) && word(text[i]) {
				i++
			}
		default:
			i = at + 1
		}
		all = append(all, token{text[at:i], diag.Pos{Line: line, Col: uint32(at - start + 1)}, i, at == start})
	}
	return all
}
