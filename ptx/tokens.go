package ptx

import "github.com/ptxabi/ptxabi/internal/core/lex"

// AppendTokens appends PTX text with every run of blanks, line ends and
// comments turned into one blank, and none at its ends.
func AppendTokens(dst []byte, text string) []byte {
	for i, gap, some := 0, false, false; i < len(text); {
		bad := lex.Class[text[i]] == lex.Bad && text[i] != '#' // free text may have such bytes
		n := lex.Blank(text[i:])
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
			n, _ = lex.String(text[i:])
		} else if n = 1; !bad {
			for i+n < len(text) && text[i+n] != '"' && text[i+n] != '/' && text[i+n] != '#' && !lex.IsBlank(text[i+n]) {
				n++
			}
		}
		dst = append(dst, text[i:i+n]...)
		i += n
	}
	return dst
}
